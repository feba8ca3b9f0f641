// The token scheduler: runs a pool's lanes one at a time, in an order that replays.
//
//   RandomPolicy policy(7);
//   SteppedRun run = RunStepped(pool, 3, policy);
//   // run.steps, run.hash, and run.switches[0..run.recorded): hand them to ReplayPolicy
//
// One lane holds the token; it gives it away only at a yield point (yield_points.cc, interpose.cc), at
// a wait, or when it ends. Hand-over is a raw futex in this uninstrumented library, so ThreadSanitizer
// takes lanes that never overlap for concurrent, and still reports their races.
//
// Contract
// - One RunStepped at a time in a process; the caller is no lane.
// - Same program, same policy parameters, same state of the program's world: same steps, hash, switches.
//   The hash covers kind, lane and place of every yield point; places do not depend on the address layout.
// - While a lane is managed its clock is virtual and its timed waits end only when every lane waits:
//   then the one that has waited longest times out.
// - A deadlock (all lanes wait, none with a time-out, or the others only poll) and a livelock (more than max_idle times
//   a lane yielded or timed out, and none came to the end of an op, nor to a new depth of its stack) call the handler
//   of SetStuckHandler at once, on the lane that noticed, which must not return.
// - A lane that waits for another where no yield point is has all of them let go: see let_go.h.
// - Nothing here allocates, takes a lock or throws while lanes run.
#ifndef REFQUAKE_SCHED_TOKEN_H_
#define REFQUAKE_SCHED_TOKEN_H_

#include <cstdint>

#include "sched/policy.h"
#include "sched/pool.h"
#include "sched/stuck.h"

namespace refquake::sched {

inline constexpr uint32_t kDefaultMaxIdle = 1000000;
inline constexpr int kMaxRecorded = 4096;

// The token went from one lane to another.
struct SwitchRecord {
  uint32_t step = 0;  // of the yield point
  int8_t from = -1;   // -1 at the start
  int8_t to = 0;
  Kind kind = Kind::kStart;  // what `from` was about to do, or why it stopped
  bool by_default = false;   // DefaultLane would have done the same: a replay does not need it
  uint32_t begun = 0;        // op boundaries `from` had come to; its end is one more
  uint32_t into = 0;         // its steps since the last of them
  uintptr_t pc = 0;          // where `from` stopped; 0 outside the code under test
};

struct SteppedRun {
  uint32_t steps = 0;
  uint64_t hash = 0;
  uint32_t switches = 0;                 // how many there were
  const SwitchRecord* record = nullptr;  // valid until the next RunStepped with first_step 0
  int recorded = 0;                      // the first so many of them, at most kMaxRecorded
};

// Runs one phase. A program's later phases pass the steps so far as `first_step`: steps are then numbered,
// hashed and recorded on, so that one list of switches holds the whole program.
SteppedRun RunStepped(Pool& pool, int lanes, Policy& policy, uint32_t first_step = 0,
                      uint32_t max_idle = kDefaultMaxIdle);

// What a run has recorded at this moment: for a process that is about to end.
SteppedRun RunSoFar();
// From here on nothing is recorded, until the next run: the next program may run free.
void ForgetRun();

using StuckHandler = void (*)(const StuckReport& report);
// Without a handler a stuck run aborts with one line.
void SetStuckHandler(StuckHandler handler);

// A yield point between two ops. Nothing if the calling thread is not a managed lane. Detach the
// Python thread state around it: an attached lane that stops here would hold up stop-the-world.
void SchedOpBoundary();

// A yield point at `place` (an address in the code under test), where a lock is about to be taken (kAcquire) or has
// been given back (kRelease). Nothing if the calling thread is not a managed lane.
void SchedLock(Kind kind, const void* place);

// Between the two the calling lane keeps the token unless it waits or yields, and no other step of it counts. Nothing
// if the calling thread is not a managed lane.
void KeepToken();
void StopKeepingToken();

// While it lives the calling lane is no managed lane and keeps the token: around code of the harness's own that runs in
// the midst of an op and may wait, for a symbolizer's answer say. Nothing for any other thread.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  int lane_;
};

// For a watchdog: what is known of the run in progress, stacks not yet filled in.
void DescribeRun(StuckReport* report);

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_TOKEN_H_
