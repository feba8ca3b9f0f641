#include "python/fight_type.h"

namespace refquake {
namespace {

constexpr int kReactionsPerObject = 2;
constexpr int kItems = 2;  // that __next__ yields

struct Fight {
  PyObject ob_base;
  Reaction reaction;
  bool at_death;
  int left;   // reactions
  int items;  // for __next__
};

Fight* Cast(PyObject* self) { return reinterpret_cast<Fight*>(self); }

void FightBack(PyObject* self) {
  Fight* fight = Cast(self);
  if (fight->at_death || fight->left == 0) return;
  --fight->left;
  React(fight->reaction, self);
}

PyObject* Compare(PyObject* self, PyObject*, int) {
  FightBack(self);
  Py_RETURN_TRUE;
}

Py_hash_t Hash(PyObject* self) {
  FightBack(self);
  return 1;
}

PyObject* Repr(PyObject* self) {
  FightBack(self);
  return PyUnicode_FromString("Fights");
}

PyObject* Index(PyObject* self) {
  FightBack(self);
  return PyLong_FromLong(0);
}

PyObject* Iter(PyObject* self) {
  FightBack(self);
  Cast(self)->items = kItems;
  return Py_NewRef(self);
}

PyObject* Next(PyObject* self) {
  FightBack(self);
  if (Cast(self)->items == 0) return nullptr;
  --Cast(self)->items;
  return PyFloat_FromDouble(0.5);
}

PyObject* Call(PyObject* self, PyObject*, PyObject*) {
  FightBack(self);
  return PyFloat_FromDouble(0.5);
}

PyObject* GetAttribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (!found) FightBack(self);  // where __getattr__ would be called
  return found;
}

void Finalize(PyObject* self) {
  Fight* fight = Cast(self);
  if (fight->at_death) React(fight->reaction, self);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

void Dealloc(PyObject* self) {
  if (PyObject_CallFinalizerFromDealloc(self) < 0) return;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  PyObject_ClearWeakRefs(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot fight_slots[] = {
    {Py_tp_richcompare, reinterpret_cast<void*>(Compare)}, {Py_tp_hash, reinterpret_cast<void*>(Hash)},
    {Py_tp_repr, reinterpret_cast<void*>(Repr)},           {Py_nb_index, reinterpret_cast<void*>(Index)},
    {Py_tp_iter, reinterpret_cast<void*>(Iter)},           {Py_tp_iternext, reinterpret_cast<void*>(Next)},
    {Py_tp_call, reinterpret_cast<void*>(Call)},           {Py_tp_getattro, reinterpret_cast<void*>(GetAttribute)},
    {Py_tp_finalize, reinterpret_cast<void*>(Finalize)},   {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},     {0, nullptr},
};

PyType_Spec fight_spec = {
    .name = "refquake.Fights",
    .basicsize = sizeof(Fight),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_WEAKREF | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = fight_slots,
};

}  // namespace

PyTypeObject* CreateFightType() { return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&fight_spec)); }

PyObject* NewFight(PyTypeObject* type, Reaction reaction, bool at_death) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  Fight* fight = Cast(self);
  fight->reaction = reaction;
  fight->at_death = at_death;
  fight->left = kReactionsPerObject;
  fight->items = kItems;
  return self;
}

}  // namespace refquake
