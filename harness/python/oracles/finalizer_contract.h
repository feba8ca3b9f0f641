// Oracle "finalizer": a type's tp_finalize is called before its instance is freed.
//
// Holds: when tp_free is called on an instance whose type has a tp_finalize, that has been called.
// Reports: finalizer-skipped.
// Demanded by: CPython documentation, "tp_finalize" (tp_dealloc must call
// PyObject_CallFinalizerFromDealloc; the collector does it for garbage only).
// Legal exceptions: an instance freed outside a watched tp_dealloc is judged by the collector's mark only.
#ifndef REFQUAKE_PYTHON_ORACLES_FINALIZER_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_FINALIZER_CONTRACT_H_

#include "python/watch.h"

namespace refquake {

// Called when tp_free is.
void JudgeFinalizer(const WatchedType& watched, PyObject* object, const DeallocFrame* frame);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_FINALIZER_CONTRACT_H_
