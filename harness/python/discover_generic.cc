#include "python/discover_generic.h"

#include "python/ref.h"

namespace refquake {
namespace {

// New reference, or null without an exception.
PyObject* Builtin(const char* module_name, const char* attribute) {
  Ref module(PyImport_ImportModule(module_name));
  PyObject* callable = module ? PyObject_GetAttrString(module.get(), attribute) : nullptr;
  PyErr_Clear();
  return callable;
}

// Reads an instance by a callable of CPython's, which it steals and which may be null.
void AddReader(Target& target, PyObject* callable, const char* name, int type_index) {
  if (!callable) return;
  target.AddOp({.form = Form::kCall,
                .kind = OpKind::kRead,
                .name = name,
                .nargs = 1,
                .has_result = true,
                .owners = {type_index},
                .weight = 2},
               callable);
}

}  // namespace

void AddWeakReferenceOps(Target& target, PyTypeObject* type, int type_index) {
  if (type->tp_weaklistoffset == 0 && !PyType_HasFeature(type, Py_TPFLAGS_MANAGED_WEAKREF)) return;
  // The built-in half of `weakref`: importing the other would add thousands of objects to each collection.
  AddReader(target, Builtin("_weakref", "ref"), "weakref.ref", type_index);
  target.AddOp({.form = Form::kMethod, .kind = OpKind::kCall, .name = "__call__", .nargs = 1, .has_result = true},
               PyUnicode_InternFromString("__call__"));
}

void AddBufferOp(Target& target, int type_index) {
  AddReader(target, Builtin("builtins", "memoryview"), "memoryview", type_index);
}

void AddGenericOps(Target& target) {
  if (PyObject* collect = Builtin("gc", "collect")) {
    target.AddOp({.form = Form::kCall, .kind = OpKind::kCollect, .name = "gc.collect", .weight = 2}, collect);
  }
  target.AddOp({.form = Form::kCopy, .kind = OpKind::kCopy, .nargs = 1, .has_result = true, .weight = 2}, nullptr);
  target.AddOp({.form = Form::kDrop, .kind = OpKind::kDrop, .nargs = 1, .weight = 4}, nullptr);
}

}  // namespace refquake
