#include "python/oracles/finalizer_contract.h"

#include "python/oracles/contract.h"

namespace refquake {

void JudgeFinalizer(const WatchedType& watched, PyObject* object, const DeallocFrame* frame) {
  if (!Py_TYPE(object)->tp_finalize) return;
  if (!frame) return;  // no tp_dealloc runs: a constructor that failed gives back what it allocated
  const bool marks = PyObject_IS_GC(object);  // PyObject_CallFinalizer marks collectable instances
  if ((marks && PyObject_GC_IsFinalized(object)) || frame->finalized) return;
  ReportBreach(watched, object,
               {.kind = "finalizer-skipped",
                .what = "tp_free was called on an instance whose tp_finalize never ran",
                .rule = "tp_dealloc must call the finalizer: the collector does so for garbage only (CPython "
                        "documentation: tp_finalize)",
                .hint = "begin tp_dealloc with: if (PyObject_CallFinalizerFromDealloc(self) < 0) return;"});
}

}  // namespace refquake
