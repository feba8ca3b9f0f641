// Whether something outside the programs still holds instances that outlived them.
//
//   if (HeldFromOutside(target, graph, living)) return;   // the module keeps them: no leak
//
// The outside is what lived before the first program (baseline.h), the threads' dicts (PyThreadState_GetDict()) and the
// module's data, state and heap (module_memory.h). What it refers to, directly or by way of containers that a program
// made, is held. A container that nothing outside refers to holds what is in it, too, but that is a leak: a temporary
// that was never dropped.
//
// Contract: no lane runs, all slots are dropped, the graph was built from `living`. Slow: walks the whole
// heap, for confirming a finding. Without free threading there is no telling the baseline apart, and any
// holder that the graph did not reach counts as outside.
#ifndef REFQUAKE_PYTHON_HELD_H_
#define REFQUAKE_PYTHON_HELD_H_

#include <Python.h>

#include <span>

#include "python/graph.h"
#include "python/target.h"

namespace refquake {

bool HeldFromOutside(const Target& target, ObjectGraph& graph, std::span<PyObject* const> living);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_HELD_H_
