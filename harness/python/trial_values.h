// Values beside the built-in ones (values.h) that constructors and methods of real modules ask for:
// pairs, iterables, mappings, callables, format strings, ...
//
//   AddTrialValues(target);
//   AddExpression(target, "{\"key\": 1}");      // any Python expression, evaluated at each use
//
// Contract: an expression sees the built-in names only, and gives a fresh object where Python does.
#ifndef REFQUAKE_PYTHON_TRIAL_VALUES_H_
#define REFQUAKE_PYTHON_TRIAL_VALUES_H_

#include <string>

#include "python/target.h"

namespace refquake {

// Returns false with an exception set if the interpreter refuses one.
bool AddTrialValues(Target& target);

// Adds the value `expression`. False with an exception set if it does not compile.
bool AddExpression(Target& target, const std::string& expression);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_TRIAL_VALUES_H_
