// Feedback beyond edges: what a run did to objects, told to libFuzzer through its extra counters.
//
//   Feedback feedback(target, *ParseFeedback("outcomes,collisions"));
//   feedback.CountPhase(graph, living);      // after each phase
//   feedback.CountRun(executor.logs());      // after each run
//
// | part | two inputs that reach the same edges differ if |
// | --- | --- |
// | outcomes | an op had another outcome, or had it more often |
// | collisions | two other ops of different lanes touched the same object in one phase |
// | shapes | an instance stood in a cycle of another length, had more parents, or lay deeper below the slots |
// | counts | an instance had a reference count of another size |
//
// Contract: used by the thread that runs programs; libFuzzer reads and clears the counters. None of it was seen to
// make bugs come sooner (docs/mutators.md), so all is off unless asked for.
#ifndef REFQUAKE_DRIVER_FEEDBACK_H_
#define REFQUAKE_DRIVER_FEEDBACK_H_

#include <Python.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "python/graph.h"
#include "python/lane_log.h"
#include "python/target.h"

namespace refquake {

enum class FeedbackPart : uint8_t { kOutcomes, kCollisions, kShapes, kCounts };
using FeedbackMask = uint32_t;

// "outcomes,shapes"; "none", or empty. Nothing if a name is unknown.
std::optional<FeedbackMask> ParseFeedback(std::string_view names);

class Feedback {
 public:
  Feedback(const Target& target, FeedbackMask parts) : target_(target), parts_(parts) {}

  void CountRun(std::span<const LaneLog> logs) const;
  void CountPhase(ObjectGraph& graph, std::span<PyObject* const> living) const;

  // CountPhase has something to count: the graph need not be told of otherwise.
  bool wants_phases() const { return Has(FeedbackPart::kShapes) || Has(FeedbackPart::kCounts); }

 private:
  bool Has(FeedbackPart part) const { return (parts_ >> static_cast<int>(part) & 1) != 0; }
  void CountShapes(ObjectGraph& graph) const;
  void CountReferences(std::span<PyObject* const> living) const;

  const Target& target_;
  const FeedbackMask parts_;
};

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_FEEDBACK_H_
