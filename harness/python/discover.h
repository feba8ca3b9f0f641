// Discovery: finds the types and operations of a module by looking and by trial.
//
//   Target target;
//   if (auto error = Discover("node", target)) return Fail(*error);   // "cannot import node: ..."
//
// What is found: the module's types (and the types of what they return); per type the constructors
// that succeed with 0 to 3 arguments, readable, settable and deletable attributes, methods with the
// argument counts that work, protocol methods (`__len__`, `__next__`, ...); the module's functions.
//
// Contract: the order is deterministic (sorted names). Objects made by a trial are never released:
// a broken tp_dealloc must be found by a program, not bring discovery down. Call before the worker
// threads start; install the watch afterwards (Target::WatchTypes).
#ifndef REFQUAKE_PYTHON_DISCOVER_H_
#define REFQUAKE_PYTHON_DISCOVER_H_

#include <optional>
#include <string>

#include "python/target.h"

namespace refquake {

// Returns an error text, or nothing on success.
std::optional<std::string> Discover(const std::string& module, Target& target);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_H_
