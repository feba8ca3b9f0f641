#include "python/trial.h"

#include <array>

#include "core/op_table.h"

namespace refquake {
namespace {

constexpr int kSpareReferences = 64;
constexpr size_t kMaxCombinations = 400;  // per callable and argument count

// True if the pending exception says that the arguments do not fit, which is then cleared.
bool TakeArgumentError() {
  const bool does_not_fit = PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_AttributeError);
  PyErr_Clear();
  return does_not_fit;
}

}  // namespace

Trial::Trial() {
  PyObject* list = PyList_New(0);
  PyObject* large = PyLong_FromLongLong(1LL << 40);
  PyObject* text = PyUnicode_FromString("text");
  PyObject* bytes = PyBytes_FromString("bytes");
  PyObject* small = PyLong_FromLong(1);
  for (PyObject* object : {Py_None, small, text, list, large, bytes}) AddCandidate(object);
  PyErr_Clear();
}

void Trial::AddCandidate(PyObject* object) {
  if (!object) return;
  Keep(object);
  candidates_.push_back(object);
}

void Trial::Keep(PyObject* object) {
  for (int i = 0; i < kSpareReferences; ++i) Py_INCREF(object);
}

Trial::Answer Trial::Call(PyObject* callable, int nargs, PyObject* self) {
  Answer answer;
  const size_t base = candidates_.size();
  size_t combinations = 1;
  for (int i = 0; i < nargs; ++i) combinations *= base;
  if (combinations > kMaxCombinations) combinations = kMaxCombinations;
  for (size_t combination = 0; combination < combinations; ++combination) {
    std::array<PyObject*, kMaxArgs + 1> args{};
    size_t count = 0;
    if (self) args[count++] = self;
    size_t digits = combination;
    for (int i = 0; i < nargs; ++i, digits /= base) args[count++] = candidates_[digits % base];
    PyObject* result = PyObject_Vectorcall(callable, args.data(), count, nullptr);
    if (result) {
      Keep(result);
      return {.accepted = true, .succeeded = true, .result = result};
    }
    if (!TakeArgumentError()) answer.accepted = true;
  }
  return answer;
}

Trial::Answer Trial::Set(PyObject* self, PyObject* name) {
  for (PyObject* candidate : candidates_) {
    if (PyObject_SetAttr(self, name, candidate) == 0) return {.accepted = true, .succeeded = true};
    PyErr_Clear();
  }
  return {};
}

Trial::Answer Trial::Delete(PyObject* self, PyObject* name) {
  const bool deleted = PyObject_DelAttr(self, name) == 0;
  PyErr_Clear();
  return {.accepted = deleted, .succeeded = deleted};
}

}  // namespace refquake
