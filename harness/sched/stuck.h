// What is known about a run that does not go on, with every lane's stack.
#ifndef REFQUAKE_SCHED_STUCK_H_
#define REFQUAKE_SCHED_STUCK_H_

#include <cstdint>

#include "sched/policy.h"
#include "sched/pool.h"

namespace refquake::sched {

enum class LaneState : uint8_t { kNotStarted, kRunnable, kWaiting, kTimedWaiting, kDone, kUnknown };

struct StuckLane {
  LaneState state = LaneState::kUnknown;
  Kind kind = Kind::kStart;      // of its last yield point
  uintptr_t pc = 0;              // where that was in the code under test
  const void* object = nullptr;  // what it waits for: the address of the semaphore, mutex or condition
  uint32_t steps = 0;            // yield points it came to
  static constexpr int kMaxFrames = 48;
  int frames = 0;
  uintptr_t frame[kMaxFrames] = {};  // innermost first; empty for a lane that could not be asked
};

struct StuckReport {
  enum class Why : uint8_t {
    kDeadlock,  // every lane waits, none with a time-out, and nobody else can wake one
    kLivelock,  // more yields and time-outs than lanes that get on come to
    kHang,      // no end within the deadline of real time
    kLongRun,   // the same, but the process has computed for most of it
  };
  Why why = Why::kHang;
  bool stepped = false;  // else free-running: then only the frames are known
  uint32_t steps = 0;
  int lanes = 0;
  int current = -1;  // the lane that holds the token
  StuckLane lane[kMaxLanes];
  StuckLane caller;  // the thread that started the watchdog, if one did
};

// The signal that asks a lane for its stack; workers leave it unblocked.
int StackSignal();
// Called by a worker when it begins, so that its stack can be asked for.
void RegisterLaneThread(int lane);
// The same for the thread that runs phases of one lane.
void RegisterCallerThread();
// How many lanes have a thread.
int RegisteredLanes();
// The kernel's numbers of these threads; 0 for none.
int LaneThread(int lane);
int CallerThread();
// Fills in the frames of lanes 0..report->lanes-1 and of the caller: each thread is interrupted and
// unwinds itself.
void CaptureStacks(StuckReport* report);

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_STUCK_H_
