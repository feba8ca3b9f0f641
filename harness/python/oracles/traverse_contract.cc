#include "python/oracles/traverse_contract.h"

#include <string>

#include "python/history.h"
#include "python/report.h"

namespace refquake {
namespace {

constexpr char kTypeRule[] =
    "tp_traverse of a heap type must visit Py_TYPE(self) exactly once (CPython documentation: tp_traverse)";

}  // namespace

void TraverseJudge::Finish(const WatchedType& watched) const {
  const bool heap = PyType_HasFeature(Py_TYPE(self_), Py_TPFLAGS_HEAPTYPE);
  // Where a program had the type in its hands, an instance may hold it as a member, and visit it for that.
  const bool may_hold_type = type_visits_ > 1 && !LastCallOn(type_).empty();
  const bool visits_type_once = type_visits_ == 1 || !heap || may_hold_type;
  if (visits_type_once && Py_REFCNT(self_) == references_) return;
  Finding finding;
  finding.type = watched.name;
  finding.history = HistoryOf(self_);
  if (!visits_type_once) {
    const bool missing = type_visits_ == 0;
    finding.kind = missing ? "type-not-visited" : "type-visited-twice";
    finding.what =
        missing ? "tp_traverse does not visit the instance's type" : "tp_traverse visits the instance's type twice";
    finding.expected = "1 visit to the type";
    finding.found = std::to_string(type_visits_);
    finding.rule = kTypeRule;
    finding.hint = missing ? "add Py_VISIT(Py_TYPE(self)) to tp_traverse"
                           : "visit the type in one place only: a base that is a heap type already does it";
    if (PassOver(finding)) return;
    Report(std::move(finding));
  }
  finding.kind = "traverse-side-effect";
  finding.what = "tp_traverse changed its instance's reference count";
  finding.expected = std::to_string(references_) + " references after as before";
  finding.found = std::to_string(Py_REFCNT(self_));
  finding.rule =
      "tp_traverse must have no side effects: it runs while the collector holds all counts apart "
      "(CPython documentation: tp_traverse)";
  finding.hint = "take no references in tp_traverse; pass members to Py_VISIT as they are";
  if (PassOver(finding)) return;
  Report(std::move(finding));
}

}  // namespace refquake
