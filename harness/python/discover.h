// Discovery: finds the types and operations of a module by looking and by trial.
//
//   Target target;
//   if (auto error = Discover("node", {}, target)) return Fail(error->message);   // "cannot import node: ..."
//
// What is found: the module's types made by C code (also those of extension modules inside a package, and the
// types of what calls return); per type the constructors that succeed with 0 to 3 arguments, readable, settable
// and deletable attributes, methods with the argument counts that work, protocol methods (`__len__`, ...); the
// module's functions. Per argument, what was seen to be accepted goes into the op's hints.
//
// Left out: what reaches outside the process or blocks (discover_deny.h), and iterators without an end, which
// any op that consumes an iterable would run on for ever.
//
// Contract: the order is deterministic (sorted names). Objects made by a trial are never released. Call before
// the worker threads start; install the watch afterwards (Target::WatchTypes).
#ifndef REFQUAKE_PYTHON_DISCOVER_H_
#define REFQUAKE_PYTHON_DISCOVER_H_

#include <optional>
#include <string>
#include <vector>

#include "python/target.h"

namespace refquake {

struct DiscoverOptions {
  std::vector<std::string> deny;    // left out beside the defaults: "FUNCTION", "TYPE", "TYPE.METHOD"
  std::vector<std::string> values;  // more argument values, as Python expressions
  std::vector<std::string> ops;     // more ops, "NAME=EXPRESSION": a callable made of the module's names
  bool fights = false;              // add the values that fight back (fights.h)
};

struct DiscoverError {
  std::string message;
  bool wrong_use = false;  // an option is at fault, not the module
};

// Returns an error, or nothing on success. What may hang goes through TrialGuard, which the caller sets up.
std::optional<DiscoverError> Discover(const std::string& module, const DiscoverOptions& options, Target& target);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_H_
