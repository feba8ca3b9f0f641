// Carries one op out: its arguments out of slots and values, the call, what came of it back into a slot.
//
//   OpRunner ops(target, {.judge = true});
//   ops.BeginLane(lane);
//   Outcome outcome = ops.Run(lane[0], slots, trace);
//
// Contract: thread state attached; no exception set, before and after. Where values may re-enter, one lane runs at a
// time; else any number of threads may run ops at once.
#ifndef REFQUAKE_PYTHON_OP_RUNNER_H_
#define REFQUAKE_PYTHON_OP_RUNNER_H_

#include "core/program.h"
#include "python/lane_log.h"
#include "python/slots.h"
#include "python/target.h"

namespace refquake {

struct OpRunnerOptions {
  bool judge = true;
  bool fights = false;            // values may re-enter the op that is running (reentry.h)
  bool fail_allocations = false;  // each op with failing allocations first (allocation_faults.h)
};

class OpRunner {
 public:
  OpRunner(Target& target, const OpRunnerOptions& options) : target_(target), options_(options) {}

  void BeginLane(const Lane& lane) {
    if (options_.fights) fighting_lane_ = &lane;  // written by the only lane
  }
  Outcome Run(const Op& op, SlotTable& slots, OpTrace& trace);

 private:
  // Execute, as the profile wants it: with re-entry possible, with failing allocations first.
  PyObject* Perform(const Op& op, PyObject* const* args, SlotTable& slots, bool& failed);
  // Execute with the first allocation failing, then the second, ... until the op needs no more of them.
  PyObject* ExecuteWithFaults(const Op& op, PyObject* const* args, bool& failed);
  // Null (or, for ops without a result, false) and an exception on failure.
  PyObject* Execute(const OpSpec& spec, const OpPayload& payload, PyObject* const* args, bool& failed);

  Target& target_;
  OpRunnerOptions options_;
  const Lane* fighting_lane_ = nullptr;  // where values may re-enter: of the op that runs, the next one
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_OP_RUNNER_H_
