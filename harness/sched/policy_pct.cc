#include "sched/policy_pct.h"

namespace refquake::sched {

PctPolicy::PctPolicy(int depth, uint64_t seed, uint32_t horizon)
    : changes_(depth < 1 ? 0 : depth - 1), seed_(seed), horizon_(horizon == 0 ? 1 : horizon) {
  if (changes_ > kMaxDepth) changes_ = kMaxDepth;
}

void PctPolicy::NewExecution(int lanes) {
  uint64_t random = seed_;
  ShufflePriorities(&random, lanes);
  PlaceChanges(&random);
  lowest_ = 0;
  next_change_ = 0;
}

void PctPolicy::ShufflePriorities(uint64_t* random, int lanes) {
  for (int lane = 0; lane < lanes; ++lane) priority_[lane] = lane + 1;
  for (int i = lanes - 1; i > 0; --i) {
    int j = static_cast<int>(RandomBelow(random, static_cast<uint32_t>(i) + 1));
    int held = priority_[i];
    priority_[i] = priority_[j];
    priority_[j] = held;
  }
}

void PctPolicy::PlaceChanges(uint64_t* random) {
  for (int i = 0; i < changes_; ++i) {
    uint32_t step = 1 + RandomBelow(random, horizon_);
    int at = i;
    for (; at > 0 && change_[at - 1] > step; --at) change_[at] = change_[at - 1];
    change_[at] = step;
  }
}

int PctPolicy::NextLane(const Choice& choice) {
  if (choice.kind == Kind::kStart) first_step_ = choice.step;
  bool fall = choice.kind == Kind::kYield;  // a lane that spins must not keep the others out
  const uint32_t step = choice.step - first_step_;
  for (; next_change_ < changes_ && change_[next_change_] <= step; ++next_change_) fall = true;
  if (fall && choice.current >= 0) priority_[choice.current] = --lowest_;
  int best = __builtin_ctz(choice.runnable);
  for (int lane = best + 1; lane < kMaxLanes; ++lane) {
    if ((choice.runnable >> lane & 1) != 0 && priority_[lane] > priority_[best]) best = lane;
  }
  return best;
}

}  // namespace refquake::sched
