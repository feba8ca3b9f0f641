#include "sched/policy_exhaustive.h"

namespace refquake::sched {

ExhaustivePolicy::ExhaustivePolicy(int preemptions) : bound_(preemptions) {}

void ExhaustivePolicy::NewExecution(int) {
  left_ = bound_;
  depth_ = 0;
}

int ExhaustivePolicy::NextLane(const Choice& choice) {
  int usual = DefaultLane(choice);
  bool preempts = choice.kind != Kind::kYield && usual == choice.current;
  uint32_t others = choice.runnable & ~(1u << usual);
  if (choice.kind == Kind::kYield) others &= ~(1u << choice.current);  // or a lane could spin for ever
  if (others == 0 || (preempts && left_ == 0)) return usual;
  if (depth_ == kMaxChoices) {
    truncated_ = true;
    return usual;
  }
  int at = depth_++;
  if (at >= fixed_) {
    taken_[at] = 0;
    options_[at] = static_cast<uint8_t>(1 + __builtin_popcount(others));
    return usual;
  }
  if (taken_[at] == 0) return usual;
  if (preempts) --left_;
  for (int skip = taken_[at] - 1; skip > 0; --skip) others &= others - 1;
  return __builtin_ctz(others);
}

bool ExhaustivePolicy::Next() {
  for (fixed_ = depth_; fixed_ > 0; --fixed_) {
    if (++taken_[fixed_ - 1] < options_[fixed_ - 1]) return true;
  }
  return false;
}

}  // namespace refquake::sched
