// Probabilistic concurrency testing: random priorities, and depth-1 places where the running lane falls
// to the lowest priority. A bug that needs d ordered events is met with a probability known from below.
//
//   PctPolicy policy(/*depth=*/3, /*seed=*/7, /*horizon=*/previous.steps);
//
// `horizon` is the number of steps the change points are spread over: the measured length of the run,
// not a guess. Same parameters, same choices.
#ifndef REFQUAKE_SCHED_POLICY_PCT_H_
#define REFQUAKE_SCHED_POLICY_PCT_H_

#include "sched/policy.h"
#include "sched/pool.h"

namespace refquake::sched {

class PctPolicy final : public Policy {
 public:
  static constexpr int kMaxDepth = 16;
  PctPolicy(int depth, uint64_t seed, uint32_t horizon);

  void NewExecution(int lanes) override;
  int NextLane(const Choice& choice) override;

 private:
  void ShufflePriorities(uint64_t* random, int lanes);
  void PlaceChanges(uint64_t* random);

  int changes_;
  uint64_t seed_;
  uint32_t horizon_;
  int priority_[kMaxLanes] = {};  // higher runs first; all differ
  int lowest_ = 0;
  uint32_t first_step_ = 0;
  uint32_t change_[kMaxDepth] = {};  // ascending steps, from first_step_
  int next_change_ = 0;
};

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_POLICY_PCT_H_
