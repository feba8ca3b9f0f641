// Oracle "module life": what a module made goes with the module.
//
// Holds: a second copy of a multi-phase module, executed and dropped at once, leaves none of its types
// behind after a collection.
// Reports: leaked-type.
// Demanded by: CPython documentation, "Isolating Extension Modules" and "Module Objects" (m_traverse must
// visit, m_clear and m_free drop, what the module's state holds), PEP 489.
// Legal exceptions: modules with single-phase initialisation, built-in modules, modules that refuse a
// second copy; types that the module's own data points to (one per process, by choice); types in
// legal_exceptions.cc; all of free-threaded 3.13 (free_threading.h, kImmortalizes).
#ifndef REFQUAKE_PYTHON_ORACLES_MODULE_LIFE_H_
#define REFQUAKE_PYTHON_ORACLES_MODULE_LIFE_H_

#include <vector>

#include "core/finding.h"
#include "python/target.h"

namespace refquake {

// Called once, when the target is loaded, by the one thread that runs. Reports nothing itself: whether a leak at
// load is to be told depends on what the process is for (Executor::JudgeLoad).
std::vector<Finding> JudgeModuleLife(const Target& target);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_MODULE_LIFE_H_
