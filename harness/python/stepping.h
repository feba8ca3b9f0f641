// Runs a phase under the program's schedule: free-running, or stepped by the token scheduler.
//
//   Stepping stepping;
//   stepping.Begin(program.schedule);
//   stepping.RunPhase(pool, lanes, ops);     // once per phase with several lanes
//   Schedule exact = stepping.Recorded();    // replay(...): the switches that were made
//
// Contract: one per process (the token scheduler is). Deterministic: a pct schedule's horizon follows
// from its seed and the phase's number of ops, not from earlier runs.
#ifndef REFQUAKE_PYTHON_STEPPING_H_
#define REFQUAKE_PYTHON_STEPPING_H_

#include <cstdint>
#include <vector>

#include "core/program.h"
#include "sched/policy_replay.h"
#include "sched/pool.h"
#include "sched/token.h"

namespace refquake {

class Stepping {
 public:
  void Begin(const Schedule& schedule);
  bool stepped() const { return schedule_.policy != Policy::kFree; }
  void RunPhase(sched::Pool& pool, int lanes, size_t ops);

  // The schedule to write down: the switches made where the run was stepped, or what was asked for where it ran free
  // or there are more switches than a program can hold.
  Schedule Recorded() const;

 private:
  void RunStepped(sched::Pool& pool, int lanes, sched::Policy& policy);

  Schedule schedule_;
  std::vector<sched::Step> steps_;
  uint32_t first_step_ = 0;
  uint32_t phases_ = 0;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_STEPPING_H_
