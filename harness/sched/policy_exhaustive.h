// Every interleaving with at most `preemptions` preemptions, each once: for tiny programs.
//
//   ExhaustivePolicy policy(/*preemptions=*/2);
//   do {
//     RunStepped(pool, 2, policy);
//   } while (policy.Next());
//
// A preemption takes the token from a lane that could have run on. Choosing among several lanes where
// the current one cannot run (at the start, at an exit, at a wait) is free. The program must do the
// same in every run that gets the same choices; choices past kMaxChoices are left to DefaultLane, and
// truncated() says so: then not everything was tried.
#ifndef REFQUAKE_SCHED_POLICY_EXHAUSTIVE_H_
#define REFQUAKE_SCHED_POLICY_EXHAUSTIVE_H_

#include "sched/policy.h"

namespace refquake::sched {

class ExhaustivePolicy final : public Policy {
 public:
  static constexpr int kMaxChoices = 4096;
  explicit ExhaustivePolicy(int preemptions);

  void NewExecution(int lanes) override;
  int NextLane(const Choice& choice) override;

  // Goes to the next interleaving; false when all were run.
  bool Next();
  bool truncated() const { return truncated_; }

 private:
  int bound_;
  int left_ = 0;   // preemptions the current run may still do
  int depth_ = 0;  // choices met in the current run
  int fixed_ = 0;  // choices the current run must repeat
  bool truncated_ = false;
  uint8_t taken_[kMaxChoices] = {};    // which alternative; 0 is DefaultLane's
  uint8_t options_[kMaxChoices] = {};  // how many there were
};

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_POLICY_EXHAUSTIVE_H_
