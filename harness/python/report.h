// How oracles hand over a finding: one call that does not come back.
//
//   SetReportSink(&DriverSink);     // once, at start
//   Report({.kind = "missed-visit", .type = "node.Node", ...});
//
// A campaign goes on past what it knows: an oracle that leaves its program as it was asks first.
//
//   if (PassOver(finding)) return;
//
// Contract: the first finding of a run ends it; the sink prints, writes the artefact and leaves the
// process. Report may be called from any lane, with or without an attached thread state.
#ifndef REFQUAKE_PYTHON_REPORT_H_
#define REFQUAKE_PYTHON_REPORT_H_

#include "core/finding.h"

namespace refquake {

using ReportSink = void (*)(const Finding&);  // must not return

using KnownFilter = bool (*)(const Finding&);

void SetReportSink(ReportSink sink);
void SetKnownFilter(KnownFilter filter);
// Whether the finding is known, or a legal exception, and so nothing to report.
bool PassOver(const Finding& finding);
[[noreturn]] void Report(Finding finding);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_REPORT_H_
