#include "faulty_type.h"

#include <Python.h>

namespace refquake {
namespace {

struct Pair {
  PyObject ob_base;
  PyObject* other;
};

Fault g_chosen = Fault::kNone;
Fault g_fault = Fault::kNone;

bool Is(Fault fault) { return g_fault == fault; }
Pair* Cast(PyObject* self) { return reinterpret_cast<Pair*>(self); }

PyObject* GetOther(PyObject* self, void*) {
  if (Is(Fault::kErrorNotSet)) return nullptr;
  PyObject* other = Cast(self)->other ? Cast(self)->other : Py_None;
  if (Is(Fault::kReferenceLeaked)) Py_INCREF(other);
  return Py_NewRef(other);
}

int SetOther(PyObject* self, PyObject* value, void*) {
  if (Is(Fault::kNeverTracked)) PyObject_GC_UnTrack(self);
  PyObject* old = Cast(self)->other;
  Cast(self)->other = Is(Fault::kMemberNotOwned) ? value : Py_XNewRef(value);
  Py_XDECREF(old);
  return 0;
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  if (!Is(Fault::kTypeNotVisited)) Py_VISIT(Py_TYPE(self));
  if (Is(Fault::kTypeVisitedTwice)) Py_VISIT(Py_TYPE(self));
  if (Is(Fault::kTraverseCounts)) Py_INCREF(self);
  if (!Is(Fault::kMemberNotVisited)) Py_VISIT(Cast(self)->other);
  if (Is(Fault::kMemberVisitedTwice)) Py_VISIT(Cast(self)->other);
  return PyObject_VisitManagedDict(self, visit, arg);
}

int Clear(PyObject* self) {
  if (!Is(Fault::kNotCleared)) Py_CLEAR(Cast(self)->other);
  PyObject_ClearManagedDict(self);
  return 0;
}

void Finalize(PyObject*) {}

void Dealloc(PyObject* self) {
  if (!Is(Fault::kFinalizerSkipped) && PyObject_CallFinalizerFromDealloc(self) < 0) return;
  PyTypeObject* type = Py_TYPE(self);
  if (Is(Fault::kUntrackLate)) Py_CLEAR(Cast(self)->other);
  if (!Is(Fault::kUntrackMissing)) PyObject_GC_UnTrack(self);
  if (Is(Fault::kExceptionLost)) PyErr_Clear();
  if (!Is(Fault::kWeakrefsLeft)) PyObject_ClearWeakRefs(self);
  Py_CLEAR(Cast(self)->other);
  if (!Is(Fault::kDictLeft)) PyObject_ClearManagedDict(self);
  if (Is(Fault::kTypeDroppedEarly)) Py_DECREF(type);
  if (!Is(Fault::kNoFree)) type->tp_free(self);
  if (Is(Fault::kFreedTwice)) type->tp_free(self);
  if (!Is(Fault::kTypeKept) && !Is(Fault::kTypeDroppedEarly)) Py_DECREF(type);
}

PyGetSetDef pair_getset[] = {{"other", GetOther, SetOther, nullptr, nullptr}, {}};

PyType_Slot pair_slots[] = {
    {Py_tp_getset, pair_getset},
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {Py_tp_finalize, reinterpret_cast<void*>(Finalize)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {0, nullptr},
};

PyType_Spec pair_spec = {
    .name = "faulty.Pair",
    .basicsize = sizeof(Pair),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF,
    .slots = pair_slots,
};

int Execute(PyObject* module) {
  PyObject* type = PyType_FromModuleAndSpec(module, &pair_spec, nullptr);
  if (!type) return -1;
  if (g_chosen == Fault::kWrongFreeSlot) reinterpret_cast<PyTypeObject*>(type)->tp_free = PyObject_Free;
  const int added = PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type));
  Py_DECREF(type);
  return added;
}

PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(Execute)},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};

PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "faulty", nullptr, 0, nullptr, module_slots};

PyObject* Init() { return PyModuleDef_Init(&module_def); }

}  // namespace

void RegisterFaulty(Fault fault) {
  g_chosen = fault;
  PyImport_AppendInittab("faulty", Init);
}

void ArmFault() { g_fault = g_chosen; }

}  // namespace refquake
