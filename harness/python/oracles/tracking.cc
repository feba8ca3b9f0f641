#include "python/oracles/tracking.h"

#include <cstring>

#include "python/memory_state.h"
#include "python/oracles/contract.h"
#include "python/oracles/legal_exceptions.h"

namespace refquake {
namespace {

constexpr char kTrackRule[] =
    "PyObject_GC_Track must be called for every collectable instance, once all fields that tp_traverse follows are "
    "valid (CPython documentation: Supporting Cyclic Garbage Collection)";

int FindCollectable(PyObject* object, void* found) {
  if (PyObject_IS_GC(object) && !PyType_Check(object) && !PyModule_Check(object) && PyObject_GC_IsTracked(object)) {
    *static_cast<bool*>(found) = true;
  }
  return 0;
}

bool IsUnset(const PyObject* pointer) {
  uintptr_t unset;
  std::memset(&unset, kUnsetByte, sizeof(unset));
  return reinterpret_cast<uintptr_t>(pointer) == unset || IsPoisoned(pointer);
}

int FindUnset(PyObject* object, void* found) {
  *static_cast<bool*>(found) |= IsUnset(object);
  return 0;
}

}  // namespace

void JudgeTracked(const Target& target, std::span<PyObject* const> living) {
  for (PyObject* object : living) {
    if (!PyObject_IS_GC(object) || PyObject_GC_IsTracked(object)) continue;
    const WatchedType* watched = target.watch.Find(Py_TYPE(object));
    if (!watched || !Py_TYPE(object)->tp_traverse || IsLegal("never-tracked", watched->name)) continue;
    bool holds_collectable = false;
    Py_TYPE(object)->tp_traverse(object, FindCollectable, &holds_collectable);
    if (!holds_collectable) continue;
    ReportBreach(*watched, object,
                 {.kind = "never-tracked",
                  .what = "a living instance holds collectable objects but is not tracked: cycles through it stay",
                  .rule = kTrackRule,
                  .hint = "call PyObject_GC_Track(self) at the end of each function that makes an instance"});
  }
}

void JudgeTrackCall(const WatchedType& watched, PyObject* object) {
  bool unset = false;
  Py_TYPE(object)->tp_traverse(object, FindUnset, &unset);
  if (!unset) return;
  ReportBreach(watched, object,
               {.kind = "tracked-too-early",
                .what = "an instance was handed to the collector before the fields that tp_traverse visits were set",
                .rule = kTrackRule,
                .hint = "set every field, at least to NULL, before PyObject_GC_Track(self)"});
}

}  // namespace refquake
