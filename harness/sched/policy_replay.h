// A recorded schedule: at yield point `step` the token goes to `lane`; elsewhere DefaultLane decides.
//
//   const Step steps[] = {{12, 1}, {40, 0}};
//   ReplayPolicy policy(steps, 2);
//
// The list is read, not copied: it must outlive the run. Its steps ascend. An entry whose lane cannot
// run at its step is passed over, so a schedule stays legal while a minimiser takes it apart.
#ifndef REFQUAKE_SCHED_POLICY_REPLAY_H_
#define REFQUAKE_SCHED_POLICY_REPLAY_H_

#include "sched/policy.h"

namespace refquake::sched {

struct Step {
  uint32_t step = 0;
  int lane = 0;
};

class ReplayPolicy final : public Policy {
 public:
  ReplayPolicy(const Step* steps, int count);

  void NewExecution(int lanes) override;
  int NextLane(const Choice& choice) override;

  // Entries of the last run that named a lane which could not run.
  int passed_over() const { return passed_over_; }

 private:
  const Step* steps_;
  int count_;
  int next_ = 0;
  int passed_over_ = 0;
};

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_POLICY_REPLAY_H_
