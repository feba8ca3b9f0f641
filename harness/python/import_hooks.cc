#include "python/import_hooks.h"

#include <cstring>

#include "python/elf_imports.h"
#include "python/lock_points.h"
#include "python/oracles/free_contract.h"
#include "python/oracles/tracking.h"

namespace refquake {
namespace {

const TypeWatch* g_watch = nullptr;

const WatchedType* WatchedOf(PyObject* object) { return g_watch->FindExact(Py_TYPE(object)); }

// Whether the lane is in the tp_dealloc of `memory`: only then is it known to be an object.
const WatchedType* DyingCollectable(const void* memory) {
  const DeallocFrame* frame = LaneLog::Mine().deallocs_running;
  if (!frame || frame->self != memory || frame->freed) return nullptr;
  const WatchedType& watched = g_watch->types()[static_cast<size_t>(frame->type)];
  return watched.is_gc ? &watched : nullptr;
}

void Track(void* memory) {
  auto* object = static_cast<PyObject*>(memory);
  if (const WatchedType* watched = WatchedOf(object)) JudgeTrackCall(*watched, object);
  PyObject_GC_Track(memory);
}

// A new instance made without tp_alloc.
void Born(PyObject* object, size_t header, size_t size) {
  const WatchedType* watched = object ? WatchedOf(object) : nullptr;
  if (!watched) return;
  if (size > header) std::memset(reinterpret_cast<char*>(object) + header, kUnsetByte, size - header);
  TypeWatch::NoteBirth(*watched, object);
}

PyObject* New(PyTypeObject* type) {
  PyObject* object = _PyObject_GC_New(type);
  Born(object, sizeof(PyObject), static_cast<size_t>(type->tp_basicsize));
  return object;
}

PyVarObject* NewVar(PyTypeObject* type, Py_ssize_t items) {
  PyVarObject* object = _PyObject_GC_NewVar(type, items);
  Born(reinterpret_cast<PyObject*>(object), sizeof(PyVarObject),
       static_cast<size_t>(type->tp_basicsize + items * type->tp_itemsize));
  return object;
}

PyVarObject* Resize(PyVarObject* object, Py_ssize_t items) {
  const WatchedType* watched = WatchedOf(reinterpret_cast<PyObject*>(object));
  PyVarObject* resized = _PyObject_GC_Resize(object, items);
  if (watched && resized && resized != object) {
    TypeWatch::NoteMove(*watched, reinterpret_cast<PyObject*>(object), reinterpret_cast<PyObject*>(resized));
  }
  return resized;
}

PyObject* NewPlain(PyTypeObject* type) {
  PyObject* object = _PyObject_New(type);
  Born(object, sizeof(PyObject), static_cast<size_t>(type->tp_basicsize));
  return object;
}

void ObjectFree(void* memory) {
  if (const WatchedType* watched = DyingCollectable(memory)) {
    ReportForeignFree(*watched, static_cast<PyObject*>(memory), "PyObject_Free");
  }
  PyObject_Free(memory);
}

void MemoryFree(void* memory) {
  if (const WatchedType* watched = DyingCollectable(memory)) {
    ReportForeignFree(*watched, static_cast<PyObject*>(memory), "PyMem_Free");
  }
  PyMem_Free(memory);
}

}  // namespace

void InstallImportHooks(const Target& target) {
  g_watch = &target.watch;
  Ref file(PyObject_GetAttrString(target.module.get(), "__file__"));
  const char* name = file && PyUnicode_Check(file.get()) ? PyUnicode_AsUTF8(file.get()) : nullptr;
  PyErr_Clear();
  if (!name) return;
  const Redirection redirections[] = {
      {"PyObject_GC_Track", reinterpret_cast<void*>(Track)},
      {"_PyObject_GC_New", reinterpret_cast<void*>(New)},
      {"_PyObject_GC_NewVar", reinterpret_cast<void*>(NewVar)},
      {"_PyObject_GC_Resize", reinterpret_cast<void*>(Resize)},
      {"_PyObject_New", reinterpret_cast<void*>(NewPlain)},
      {"PyObject_Free", reinterpret_cast<void*>(ObjectFree)},
      {"PyMem_Free", reinterpret_cast<void*>(MemoryFree)},
  };
  RedirectImports(name, redirections);
  RedirectImports(name, LockPoints());
}

}  // namespace refquake
