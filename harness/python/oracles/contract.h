// What the oracles that judge a slot function as it runs have in common: how they report.
#ifndef REFQUAKE_PYTHON_ORACLES_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_CONTRACT_H_

#include <string>

#include "python/watch.h"

namespace refquake {

struct Breach {
  const char* kind;
  const char* what;
  const char* rule;
  const char* hint;
  std::string expected = {};
  std::string found = {};
};

// Reports a breach by an instance of a watched type, with its history. `object` may be freed: only its
// address is used. Returns if the finding is one that the campaign knows and passes over.
void ReportBreach(const WatchedType& watched, const void* object, Breach breach);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_CONTRACT_H_
