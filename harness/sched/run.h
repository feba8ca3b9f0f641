// What the token scheduler knows of the run in progress. Internal to this library.
//
// Who may touch it: who has the token, inside the scheduler (`grip` is kInside); the watchdog, once it has let the
// lanes go (let_go.h); the caller of RunStepped before and after the run.
#ifndef REFQUAKE_SCHED_RUN_H_
#define REFQUAKE_SCHED_RUN_H_

#include <cstdint>

#include "sched/lane.h"
#include "sched/policy.h"
#include "sched/pool.h"
#include "sched/spin.h"
#include "sched/stuck.h"

namespace refquake::sched {

// Where the lane with the token is.
enum Grip : uint32_t {
  kNoRun,
  kInside,   // in the scheduler
  kOutside,  // in the code under test: how long, the scheduler does not know. The bits above hold the number of steps
  kLetGo,    // there is no token any more: the lanes run free
};
inline constexpr int kGripBits = 2;
inline constexpr uint32_t kGripMask = (1u << kGripBits) - 1;

struct Lane {
  alignas(64) uint32_t gate = 0;  // futex word: 1 hands this lane the token
  LaneState state = LaneState::kNotStarted;
  Kind kind = Kind::kStart;
  bool timed_out = false;
  bool keeps = false;  // the token: see KeepToken
  uint32_t steps = 0;
  uint32_t begun = 0;               // op boundaries, and the lane's end
  uint32_t into = 0;                // steps since the last of them
  uintptr_t deepest = UINTPTR_MAX;  // of its stack in this op
  uintptr_t back_at = 0;            // how far it has come back from there
  uintptr_t pc = 0;
  const void* object = nullptr;
  int64_t deadline = kNoDeadline;
  uint64_t wait_order = 0;
  SpinWatch spin;
};

// Belongs to the holder of the token; to the caller of RunStepped before and after the run.
struct Run {
  Pool* pool = nullptr;
  Policy* policy = nullptr;
  bool active = false;
  int lanes = 0;
  int current = -1;
  uint32_t runnable = 0;
  int unfinished = 0;
  uint32_t steps = 0;
  uint32_t idle = 0;  // yields and time-outs since a lane last got on
  uint32_t max_idle = 0;
  uint64_t hash = 0;
  uint32_t switches = 0;
  uint64_t waits = 0;
  uint32_t looks = 0;  // at what only a thread of the module's can end
  int64_t now = 0;     // virtual; never falls
  uint32_t grip = 0;   // a Grip
  Lane lane[kMaxLanes];
};

extern Run run;

// The calling lane comes into the scheduler; false: it has been let go, and is no managed lane from here on.
bool Enter();
// Back to the code under test.
void Leave();
// Gives the token to whom the policy chooses and waits for its return; false: the lanes were let go meanwhile.
bool PassToken(Kind kind);
// Whether the lane at its yield point gets on; if no lane has for long, does not return.
void CountStep(Kind kind, uintptr_t pc);
// One more yield or time-out of lanes of which none gets on.
void CountIdle();
void MixIntoHash(uint64_t value);
[[noreturn]] void Stuck(StuckReport::Why why);

// No lane can run; afterwards one can.
void LetTimePass();
void BeginVirtualTime();
void EndVirtualTime();

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_RUN_H_
