// The values every target has: what programs pass where no slot is named.
//
// Mortal and unshared where possible: an extra DECREF of an immortal object is invisible.
#ifndef REFQUAKE_PYTHON_VALUES_H_
#define REFQUAKE_PYTHON_VALUES_H_

#include "python/target.h"

namespace refquake {

// Adds the built-in values and the type Value (with its constructor op) to a new target.
// Returns false with an exception set if the interpreter refuses.
bool AddBuiltinValues(Target& target);

// Adds "NAME()" for a type that can be made without arguments.
void AddInstanceValue(Target& target, int type);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_VALUES_H_
