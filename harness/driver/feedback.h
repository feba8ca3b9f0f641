// Feedback beyond edges: what a run did to objects, told to libFuzzer through its extra counters.
//
// Told are: which (op, outcome) pairs occurred and how often; which two ops of different lanes touched the
// same object in one phase. Two inputs that reach the same edges differ here if one collides two lanes.
//
//   CountFeedback(executor.logs());
//
// Contract: called after a run, by the thread that runs programs; libFuzzer reads and clears the
// counters. What it earns is not settled yet (docs/mutators.md); --feedback=0 turns it off.
#ifndef REFQUAKE_DRIVER_FEEDBACK_H_
#define REFQUAKE_DRIVER_FEEDBACK_H_

#include <span>

#include "python/lane_log.h"

namespace refquake {

void CountFeedback(std::span<const LaneLog> logs);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_FEEDBACK_H_
