#include "python/report.h"

#include <atomic>
#include <cstdlib>
#include <unistd.h>

#include "python/oracles/legal_exceptions.h"
#include "sched/token.h"

namespace refquake {
namespace {
ReportSink g_sink = nullptr;
KnownFilter g_known = nullptr;
std::atomic_flag g_reporting = ATOMIC_FLAG_INIT;
}  // namespace

void SetReportSink(ReportSink sink) { g_sink = sink; }

void SetKnownFilter(KnownFilter filter) { g_known = filter; }

bool PassOver(const Finding& finding) { return IsLegal(finding.kind, finding.type) || (g_known && g_known(finding)); }

void Report(Finding finding) {
  const sched::Aside aside;  // the other lanes stay where they are
  if (g_reporting.test_and_set()) {
    for (;;) pause();  // another lane's finding is being written; the process ends with it
  }
  if (g_sink) g_sink(finding);
  std::abort();
}

}  // namespace refquake
