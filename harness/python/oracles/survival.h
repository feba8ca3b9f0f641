// Oracle "survival": what nobody holds must die.
//
// Holds: after all slots are dropped and the collector has run, no instance lives.
// Reports: leaked-instance.
// Demanded by: CPython documentation, "Supporting Cyclic Garbage Collection" (tp_clear must break the
// cycles that tp_traverse shows).
// Legal exceptions: instances that the module itself, a thread's dict or what lived before it holds (held.h); a
// finalizer may resurrect once, so a second collection is given.
#ifndef REFQUAKE_PYTHON_ORACLES_SURVIVAL_H_
#define REFQUAKE_PYTHON_ORACLES_SURVIVAL_H_

#include <Python.h>

#include <span>

#include "python/graph.h"
#include "python/living.h"

namespace refquake {

// `living` are the instances alive after the drop and the collections. Judges their conservation first,
// because it tells why they live. Reports, and does not return, if one lives without a holder.
void JudgeSurvival(const Target& target, ObjectGraph& graph, std::span<PyObject* const> living, Living& books);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_SURVIVAL_H_
