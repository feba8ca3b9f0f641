// A lane's waits, and the time they take: real waiting would be up to the machine, so it is a matter of the token.
#include "sched/futex.h"
#include "sched/module_threads.h"
#include "sched/run.h"

namespace refquake::sched {
namespace {

constexpr int64_t kMicrosecond = 1000;
constexpr int64_t kMillisecond = 1000000;
constexpr int64_t kSecond = int64_t{1000} * kMillisecond;
constexpr int64_t kHour = 3600 * kSecond;
constexpr uint32_t kPollsBeforeALook = 64;

int64_t ahead_of_real = 0;

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
  ++run.looks;
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

int WakeWaiters(const void* object, int count) {
  if (!IsManaged() || !Enter()) return 0;
  int woken = 0;
  for (; woken < count; ++woken) {
    int lane = LongestWaiting(object, /*timed_only=*/false);
    if (lane < 0) break;
    MakeRunnable(lane);
  }
  Leave();
  return woken;
}

// A clock does not go back: virtual time begins later than anybody has read, and whoever reads the clock after it sees
// as much more. At a whole second: what is made of the digits below is the same in every run.
void BeginVirtualTime() {
  const int64_t shown = RealNanoseconds() + AheadOfReal();
  const int64_t latest = run.now < shown ? shown : run.now;
  run.now = (latest / kSecond + 1) * kSecond;
}

void EndVirtualTime() {
  const int64_t ahead = run.now - RealNanoseconds();
  if (ahead > AheadOfReal()) __atomic_store_n(&ahead_of_real, ahead, __ATOMIC_RELAXED);
}

int64_t ReadVirtualNanoseconds() { return run.now += kMicrosecond; }

int64_t AheadOfReal() { return __atomic_load_n(&ahead_of_real, __ATOMIC_RELAXED); }

int64_t FromNow(int64_t deadline) { return deadline > run.now ? deadline - run.now : 0; }

}  // namespace refquake::sched
