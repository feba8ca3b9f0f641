#include "python/values.h"

#include "python/value_type.h"

namespace refquake {
namespace {

PyObject* Constant(PyObject* payload) { return Py_NewRef(payload); }
PyObject* Call(PyObject* payload) { return PyObject_CallNoArgs(payload); }
PyObject* FreshInt(PyObject* payload) { return PyNumber_Add(payload, payload); }
PyObject* FreshText(PyObject*) { return PyUnicode_FromStringAndSize("text", 4); }
PyObject* FreshBytes(PyObject*) { return PyBytes_FromStringAndSize("bytes", 5); }
PyObject* FreshFloat(PyObject*) { return PyFloat_FromDouble(1.5); }
PyObject* FreshList(PyObject*) { return PyList_New(0); }
PyObject* FreshDict(PyObject*) { return PyDict_New(); }
PyObject* FreshPair(PyObject* payload) { return PyTuple_Pack(2, payload, payload); }

}  // namespace

bool AddBuiltinValues(Target& target) {
  Ref value_type(reinterpret_cast<PyObject*>(CreateValueType()));
  if (!value_type) return false;
  const int type = target.AddType(reinterpret_cast<PyTypeObject*>(value_type.get()));
  target.AddValue({.text = "Value()", .type = type}, {Call, Py_NewRef(value_type.get())});
  target.AddValue({.text = "None", .immortal = true}, {Constant, Py_NewRef(Py_None)});
  target.AddValue({.text = "[]"}, {FreshList, nullptr});
  target.AddValue({.text = "{}"}, {FreshDict, nullptr});
  target.AddValue({.text = "\"text\""}, {FreshText, nullptr});
  target.AddValue({.text = "b\"bytes\""}, {FreshBytes, nullptr});
  // Beyond any length or index: what lies in between would be allocated.
  target.AddValue({.text = "2**70"}, {FreshInt, PyLong_FromString("590295810358705651712", nullptr, 10)});
  target.AddValue({.text = "1.5"}, {FreshFloat, nullptr});
  target.AddValue({.text = "(1, 1)"}, {FreshPair, PyLong_FromLong(1)});
  target.AddValue({.text = "0", .immortal = true}, {Constant, PyLong_FromLong(0)});
  target.AddValue({.text = "1", .immortal = true}, {Constant, PyLong_FromLong(1)});
  target.AddValue({.text = "-1", .immortal = true}, {Constant, PyLong_FromLong(-1)});
  target.AddOp({.form = Form::kCall, .kind = OpKind::kCreate, .name = "Value", .has_result = true, .result_type = type,
                .weight = 3},
               Py_NewRef(value_type.get()));
  return !PyErr_Occurred();
}

void AddInstanceValue(Target& target, int type) {
  PyObject* payload = reinterpret_cast<PyObject*>(target.types[static_cast<size_t>(type)]);
  target.AddValue({.text = target.table.types()[static_cast<size_t>(type)] + "()", .type = type},
                  {Call, Py_NewRef(payload)});
}

}  // namespace refquake
