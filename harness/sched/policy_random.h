// At each yield point, with a probability drawn once from the seed (1/2 to 1/32), any other lane.
//
//   RandomPolicy policy(/*seed=*/7);
#ifndef REFQUAKE_SCHED_POLICY_RANDOM_H_
#define REFQUAKE_SCHED_POLICY_RANDOM_H_

#include "sched/policy.h"

namespace refquake::sched {

class RandomPolicy final : public Policy {
 public:
  explicit RandomPolicy(uint64_t seed);

  void NewExecution(int lanes) override;
  int NextLane(const Choice& choice) override;

 private:
  uint64_t seed_;
  uint64_t random_ = 0;
  uint32_t one_in_ = 2;
};

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_POLICY_RANDOM_H_
