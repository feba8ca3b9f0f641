// A lane's waits, and the time they take: real waiting would be up to the machine, so it is a matter of the token.
#include <time.h>

#include "sched/futex.h"
#include "sched/module_threads.h"
#include "sched/run.h"

namespace refquake::sched {
namespace {

constexpr int64_t kMicrosecond = 1000;
constexpr int64_t kMillisecond = 1000000;
constexpr int64_t kHour = int64_t{3600} * 1000000000;
constexpr int64_t kMostAhead = 100 * kMillisecond;
constexpr uint32_t kPollsBeforeALook = 64;

int LongestWaiting(const void* object, bool timed_only) {
  int best = -1;
  for (int i = 0; i < run.lanes; ++i) {
    const Lane& lane = run.lane[i];
    bool waits = lane.state == LaneState::kTimedWaiting || (!timed_only && lane.state == LaneState::kWaiting);
    if (!waits || (object != nullptr && lane.object != object)) continue;
    if (best < 0 || lane.wait_order < run.lane[best].wait_order) best = i;
  }
  return best;
}

void MakeRunnable(int lane) {
  run.lane[lane].state = LaneState::kRunnable;
  run.lane[lane].object = nullptr;
  run.runnable |= 1u << lane;
}

// What only a thread of the module's can end is looked at again after a while of real time: all of them are waits in a
// loop (interpose.cc). How often depends on that thread: such a program may not replay. False: there is no such wait.
bool LookAgain() {
  if (LongestWaiting(nullptr, /*timed_only=*/false) < 0 || !ModuleThreadsRun()) return false;
  static uint32_t never_woken = 0;
  FutexWaitFor(&never_woken, 0, 1);
  for (int i = 0; i < run.lanes; ++i) {
    if (run.lane[i].state == LaneState::kWaiting) MakeRunnable(i);
  }
  ++run.idle;
  return run.runnable != 0;
}

}  // namespace

// Time passes until the oldest timed wait is over.
void LetTimePass() {
  int oldest = LongestWaiting(nullptr, /*timed_only=*/true);
  // Who polls for what a waiting lane has may poll for ever, in no real time at all.
  const bool in_vain = oldest < 0 || run.idle % kPollsBeforeALook == kPollsBeforeALook - 1;
  if (in_vain && LookAgain()) return;
  if (oldest < 0) Stuck(StuckReport::Why::kDeadlock);
  Lane& lane = run.lane[oldest];
  // A deadline that a thread outside the run computed is in real time, and means nothing here.
  bool sane = lane.deadline > run.now && lane.deadline < run.now + kHour;
  run.now = sane ? lane.deadline : run.now + kMillisecond;
  lane.timed_out = true;
  MakeRunnable(oldest);
  MixIntoHash(0x7000000000000000u | static_cast<uint64_t>(oldest));
  CountIdle();
}

bool WaitFor(const void* object, int64_t deadline, uintptr_t pc) {
  if (!Enter()) return true;
  int own = managed_lane;
  Lane& lane = run.lane[own];
  CountStep(Kind::kBlock, pc);
  lane.state = deadline == kNoDeadline ? LaneState::kWaiting : LaneState::kTimedWaiting;
  lane.object = object;
  lane.deadline = deadline;
  lane.timed_out = false;
  lane.wait_order = ++run.waits;
  run.runnable &= ~(1u << own);
  if (run.runnable == 0) LetTimePass();
  if (PassToken(Kind::kBlock)) Leave();
  return !lane.timed_out;
}

void WakeWaiters(const void* object, int count) {
  if (!IsManaged() || !Enter()) return;
  for (; count > 0; --count) {
    int lane = LongestWaiting(object, /*timed_only=*/false);
    if (lane < 0) break;
    MakeRunnable(lane);
  }
  Leave();
}

// Where real time is, at least, and where virtual time was when a run last ended: a clock does not go back.
void BeginVirtualTime() {
  const int64_t real = RealNanoseconds();
  if (run.now < real) run.now = real;
}

int64_t ReadVirtualNanoseconds() { return run.now += kMicrosecond; }

int64_t NotBeforeVirtual(int64_t real) {
  const int64_t ahead = __atomic_load_n(&run.now, __ATOMIC_RELAXED) - real;
  return ahead > 0 && ahead < kMostAhead ? real + ahead : real;
}

}  // namespace refquake::sched
