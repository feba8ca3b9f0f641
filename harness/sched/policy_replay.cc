#include "sched/policy_replay.h"

#include "sched/pool.h"

namespace refquake::sched {

ReplayPolicy::ReplayPolicy(const Step* steps, int count) : steps_(steps), count_(count) {}

void ReplayPolicy::NewExecution(int) {
  next_ = 0;
  passed_over_ = 0;
}

int ReplayPolicy::NextLane(const Choice& choice) {
  while (next_ < count_ && steps_[next_].step < choice.step) ++next_;
  if (next_ == count_ || steps_[next_].step != choice.step) return DefaultLane(choice);
  int lane = steps_[next_++].lane;
  if (lane >= 0 && lane < kMaxLanes && (choice.runnable >> lane & 1) != 0) return lane;
  ++passed_over_;
  return DefaultLane(choice);
}

}  // namespace refquake::sched
