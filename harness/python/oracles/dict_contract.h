// Oracle "dict": an instance's __dict__ goes with the instance.
//
// Holds: a managed dict is cleared before tp_free is called; a dict that the type keeps itself
// (tp_dictoffset above 0) has lost the instance's reference by then.
// Reports: dict-left.
// Demanded by: CPython documentation, "tp_dealloc", "Py_TPFLAGS_MANAGED_DICT" (PyObject_ClearManagedDict)
// and "tp_dictoffset".
// Legal exceptions: a finalizer may hand the dict out, so a dealloc that ran one is not judged by counts;
// counts are compared only while no other lane runs.
#ifndef REFQUAKE_PYTHON_ORACLES_DICT_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_DICT_CONTRACT_H_

#include "python/watch.h"

namespace refquake {

// Keeps the dict of a type's own alive, so that its count can be compared.
void HoldDict(PyObject* object, const LaneLog& log, DeallocFrame& frame);
void ReleaseDict(DeallocFrame& frame);
// Called when tp_free is. `frame` is the instance's, or null if its tp_dealloc is not watched.
void JudgeDict(const WatchedType& watched, PyObject* object, const DeallocFrame* frame);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_DICT_CONTRACT_H_
