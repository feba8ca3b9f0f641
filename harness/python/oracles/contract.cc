#include "python/oracles/contract.h"

#include "python/history.h"
#include "python/report.h"

namespace refquake {

void ReportBreach(const WatchedType& watched, const void* object, Breach breach) {
  Finding finding;
  finding.kind = breach.kind;
  finding.type = watched.name;
  finding.what = breach.what;
  finding.expected = std::move(breach.expected);
  finding.found = std::move(breach.found);
  finding.history = HistoryOf(object);
  finding.rule = breach.rule;
  finding.hint = breach.hint;
  if (!PassOver(finding)) Report(std::move(finding));
}

}  // namespace refquake
