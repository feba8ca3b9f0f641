// Oracle "free": the memory goes, once, and by the function that matches its allocation.
//
// Holds: after tp_dealloc an instance is freed, or alive again because its finalizer resurrected it;
// tp_free is called once; a collectable instance is freed by PyObject_GC_Del, another one is not.
// Reports: no-free (asan only: there the memory itself says whether it was freed), wrong-free.
// Demanded by: CPython documentation, "tp_dealloc", "tp_free" and "PyObject_GC_Del".
// Legal exceptions: freeing directly instead of through tp_free; keeping dead instances for reuse. A
// free list is told from a leak by two signs: fresh instances are not allocated while it holds one, and
// it points to it from the module's data, state or heap. Types that keep dead instances where neither shows
// are listed in legal_exceptions.cc.
#ifndef REFQUAKE_PYTHON_ORACLES_FREE_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_FREE_CONTRACT_H_

#include "python/target.h"

namespace refquake {

// What became of an instance whose tp_dealloc returned without calling tp_free.
enum class Fate : uint8_t { kFreed, kAlive, kDeferred, kLeft };
Fate FateOf(const DeallocFrame& frame);

// tp_free is about to run. `again`: it has already run for this instance, which must not be read.
void JudgeFreeFunction(const WatchedType& watched, PyObject* object, bool again);
// The extension itself called `function` on a collectable instance ("PyObject_Free").
void ReportForeignFree(const WatchedType& watched, PyObject* object, const char* function);
// At the end of a run, no lane running: those left by a tp_dealloc and not reused.
void JudgeUnfreed(const Target& target, LaneLog& log);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_FREE_CONTRACT_H_
