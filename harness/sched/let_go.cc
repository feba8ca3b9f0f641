#include "sched/let_go.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "sched/asleep.h"
#include "sched/futex.h"
#include "sched/run.h"
#include "sched/token.h"

namespace refquake::sched {
namespace {

constexpr int kLooksAsleep = 10;
constexpr uint64_t kNanosecondsWithoutAStep = 1000000000;

// Only if the lane is where it was when `outside` was read: it has not come to a step since.
bool TakeGrip(uint32_t outside) {
  return __atomic_compare_exchange_n(&run.grip, &outside, kLetGo, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// Each lane sees at its next step, or when it wakes, that there is no token. The run may be over as soon as the last of
// them has been woken: nothing of it is read by then.
void LetGo() {
  EndVirtualTime();
  Pool* pool = run.pool;
  uint32_t to_start = 0, to_wake = 0;
  for (int i = 0; i < run.lanes; ++i) {
    const LaneState state = run.lane[i].state;
    if (i == run.current || state == LaneState::kDone) continue;
    (state == LaneState::kNotStarted ? to_start : to_wake) |= 1u << i;
  }
  for (int i = 0; i < kMaxLanes; ++i) {
    if ((to_start >> i & 1) != 0) pool->StartLane(i);
    if ((to_wake >> i & 1) == 0) continue;
    Store(&run.lane[i].gate, 1);
    FutexWake(&run.lane[i].gate, 1);
  }
}

// What the grip of the lane with the token is while it is in the code under test: it tells one such stretch from
// another.
uint32_t OutsideNow() { return run.steps << kGripBits | kOutside; }

}  // namespace

bool Enter() {
  uint32_t outside = OutsideNow();
  if (__atomic_compare_exchange_n(&run.grip, &outside, kInside, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return true;
  managed_lane = -1;
  return false;
}

void Leave() { Store(&run.grip, OutsideNow()); }

bool OthersCanGoOn() {
  for (int i = 0; i < run.lanes; ++i) {
    const LaneState state = run.lane[i].state;
    if (i != run.current && state != LaneState::kDone && state != LaneState::kWaiting) return true;
  }
  return false;
}

void LetGoWatch::Look() {
  const uint32_t grip = Load(&run.grip);
  const int lane = run.current;
  if ((grip & kGripMask) != kOutside || lane < 0 || lane >= run.lanes || !OthersCanGoOn()) return Forget();
  uint64_t now_run = 0;
  if (!AddTimeRun(LaneThread(lane), &now_run)) return Forget();
  if (lane != lane_ || grip != grip_) {
    lane_ = lane;
    grip_ = grip;
    first_run_ = now_run;
    asleep_ = 0;
  } else {
    asleep_ = now_run == last_run_ && SleepsInACall(LaneThread(lane)) ? asleep_ + 1 : 0;
  }
  last_run_ = now_run;
  if (asleep_ < kLooksAsleep && now_run - first_run_ < kNanosecondsWithoutAStep) return;
  if (TakeGrip(grip)) LetGo();
  Forget();
}

void NoteLetGo() {
  static bool noted = false;
  if (noted || Load(&run.grip) != kLetGo) return;
  noted = true;
  static const char kNote[] =
      "refquake: note: a lane waited for another where stepping cannot see it; its program went on with its lanes "
      "free\n";
  syscall(SYS_write, STDERR_FILENO, kNote, sizeof(kNote) - 1);
}

}  // namespace refquake::sched
