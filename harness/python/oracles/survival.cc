#include "python/oracles/survival.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "python/held.h"
#include "python/history.h"
#include "python/oracles/conservation.h"
#include "python/report.h"

namespace refquake {
namespace {

std::string HintFor(PyObject* object, ObjectGraph& graph) {
  if (graph.VisitsFromElsewhere(object) > 0) {
    return "a container that nobody holds any more refers to it: look for a list, tuple or dict that lacks its "
           "Py_DECREF, or that its owner's tp_traverse does not visit";
  }
  return Py_TYPE(object)->tp_clear ? "check that tp_clear drops every member that tp_traverse visits"
                                   : "the type has no tp_clear: add one that drops every member";
}

// Of a type that the harness made, to have values with a life of their own.
bool IsHarness(const WatchedType& watched) { return std::string_view(watched.name).starts_with("refquake."); }

}  // namespace

void JudgeSurvival(const Target& target, ObjectGraph& graph, std::span<PyObject* const> living, Living& books) {
  graph.Build(nullptr, living);
  JudgeConservation(target, graph, living, books, /*last=*/true);
  // Held by the module itself, and all it holds with it.
  if (HeldFromOutside(target, graph, living)) return;
  // What a leaked container holds lives on with it: a value of the harness is told of where nothing else leaked.
  const bool targets_own = std::any_of(living.begin(), living.end(), [&](PyObject* object) {
    const WatchedType* watched = target.watch.Find(Py_TYPE(object));
    return watched && !IsHarness(*watched);
  });
  for (PyObject* object : living) {
    const WatchedType* watched = target.watch.Find(Py_TYPE(object));
    if (!watched || (targets_own && IsHarness(*watched))) continue;
    Finding finding;
    finding.kind = "leaked-instance";
    finding.type = watched->name;
    finding.what = "an instance lives after all slots were dropped and the collector has run";
    finding.expected = "0 living instances";
    finding.found = std::to_string(living.size());
    finding.history = HistoryOf(object);
    finding.rule = "tp_clear must drop every member that can be part of a cycle (CPython documentation: tp_clear)";
    finding.hint = HintFor(object, graph);
    if (PassOver(finding)) continue;
    Report(std::move(finding));
  }
}

}  // namespace refquake
