// Oracle "dealloc contract": what a tp_dealloc owes, judged while it runs.
//
// Holds: a collectable instance is untracked before its fields go; its weak references are cleared
// before tp_free; tp_dealloc of a heap type drops the type's reference, once, and after tp_free.
// Reports: still-tracked-at-free, still-tracked-in-dealloc, weakrefs-left, type-reference-kept,
// type-reference-early.
// Demanded by: CPython documentation, "tp_dealloc" (type objects) and "Supporting Cyclic Garbage
// Collection"; the type's reference: "What's New in Python 3.8", C API changes, and the isolating
// extension modules how-to.
// Legal exceptions: the type's reference is judged for exact instances of a heap type only (a
// subclass made in Python drops its own), only while no other lane runs, and not where the dealloc led to a
// collection, which merges the threads' shares of the count.
#ifndef REFQUAKE_PYTHON_ORACLES_DEALLOC_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_DEALLOC_CONTRACT_H_

#include "python/lane_log.h"
#include "python/watch.h"

namespace refquake {

void JudgeDeallocStart(const WatchedType& watched, PyObject* object, const LaneLog& log, DeallocFrame& frame);
void JudgeFree(const WatchedType& watched, PyObject* object, LaneLog& log);
void JudgeDeallocEnd(const WatchedType& watched, PyTypeObject* exact, const LaneLog& log, const DeallocFrame& frame);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_DEALLOC_CONTRACT_H_
