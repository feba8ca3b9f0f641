// Legal exceptions as data: correct types that a rule does not fit, each with its reason.
//
//   if (IsLegal("no-free", watched.name)) return;
#ifndef REFQUAKE_PYTHON_ORACLES_LEGAL_EXCEPTIONS_H_
#define REFQUAKE_PYTHON_ORACLES_LEGAL_EXCEPTIONS_H_

#include <string_view>

namespace refquake {

// `type` as reports print it; an entry whose type ends in ".*" stands for a whole module.
bool IsLegal(std::string_view kind, std::string_view type);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_LEGAL_EXCEPTIONS_H_
