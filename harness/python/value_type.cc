#include "python/value_type.h"

namespace refquake {
namespace {

int ValueTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

void ValueDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  PyObject_ClearWeakRefs(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot value_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(ValueTraverse)},
    {Py_tp_dealloc, reinterpret_cast<void*>(ValueDealloc)},
    {0, nullptr},
};

PyType_Spec value_spec = {
    .name = "refquake.Value",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_WEAKREF,
    .slots = value_slots,
};

}  // namespace

PyTypeObject* CreateValueType() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&value_spec)); }

}  // namespace refquake
