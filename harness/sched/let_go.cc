#include "sched/let_go.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "sched/asleep.h"
#include "sched/futex.h"
#include "sched/run.h"
#include "sched/token.h"

namespace refquake::sched {
namespace {

constexpr int kLooksAsleep = 3;
constexpr uint64_t kNanosecondsWithoutAStep = 1000000000;

// The watchdog may read at any time what others write: what it concludes holds only once it has the grip.
bool TakeGrip() {
  uint32_t outside = kOutside;
  return __atomic_compare_exchange_n(&run.grip, &outside, kLetGo, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// Each lane sees at its next step, or when it wakes, that there is no token.
void LetGo() {
  const int current = run.current;
  for (int i = 0; i < run.lanes; ++i) {
    Lane& lane = run.lane[i];
    if (i == current || lane.state == LaneState::kDone) continue;
    if (lane.state == LaneState::kNotStarted) {
      run.pool->StartLane(i);
    } else {
      Store(&lane.gate, 1);
      FutexWake(&lane.gate, 1);
    }
  }
}

}  // namespace

bool Enter() {
  uint32_t outside = kOutside;
  if (__atomic_compare_exchange_n(&run.grip, &outside, kInside, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return true;
  managed_lane = -1;
  return false;
}

void Leave() { Store(&run.grip, kOutside); }

bool OthersCanGoOn() {
  for (int i = 0; i < run.lanes; ++i) {
    const LaneState state = run.lane[i].state;
    if (i != run.current && state != LaneState::kDone && state != LaneState::kWaiting) return true;
  }
  return false;
}

void LetGoWatch::Look() {
  const int lane = run.current;
  if (Load(&run.grip) != kOutside || lane < 0 || lane >= run.lanes || !OthersCanGoOn()) return Forget();
  uint64_t now_run = 0;
  if (!AddTimeRun(LaneThread(lane), &now_run)) return Forget();
  if (looks_ == 0 || lane != lane_ || run.steps != steps_) {
    lane_ = lane;
    steps_ = run.steps;
    first_run_ = now_run;
    looks_ = 1;
    asleep_ = 0;
  } else {
    ++looks_;
    asleep_ = now_run == last_run_ && SleepsInACall(LaneThread(lane)) ? asleep_ + 1 : 0;
  }
  last_run_ = now_run;
  if (asleep_ < kLooksAsleep && now_run - first_run_ < kNanosecondsWithoutAStep) return;
  if (TakeGrip()) LetGo();
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
