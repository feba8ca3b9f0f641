#include "python/oracles/free_contract.h"

#include <cstdlib>

#include "python/free_threading.h"
#include "python/memory_state.h"
#include "python/module_memory.h"
#include "python/oracles/contract.h"
#include "python/oracles/legal_exceptions.h"

namespace refquake {
namespace {

constexpr char kMatchingRule[] =
    "memory of a collectable instance must go back through PyObject_GC_Del, other memory must not; tp_dealloc calls "
    "tp_free once (CPython documentation: tp_free, PyObject_GC_Del)";

// An instance that the trashcan keeps for later. Since 3.14 that is decided before tp_dealloc is called.
bool TrashPending() {
#if PY_VERSION_HEX < 0x030E0000
  return PyThreadState_Get()->delete_later != nullptr;
#else
  return false;
#endif
}

}  // namespace

Fate FateOf(const DeallocFrame& frame) {
  if (IsPoisoned(frame.self)) return Fate::kFreed;
  if (HeldReferences(frame.self) > 0) return Fate::kAlive;
  if (TrashPending()) return Fate::kDeferred;
  return kTellsFreedMemory ? Fate::kLeft : Fate::kFreed;
}

void JudgeFreeFunction(const WatchedType& watched, PyObject* object, bool again) {
  if (again) {
    return ReportBreach(watched, object,
                        {.kind = "wrong-free",
                         .what = "tp_free was called twice for one instance",
                         .rule = kMatchingRule,
                         .hint = "call tp_free once, at the end of the outermost tp_dealloc's chain"});
  }
  const bool plain = watched.free == PyObject_Free || watched.free == PyMem_Free || watched.free == std::free;
  if (watched.is_gc ? !plain : watched.free != PyObject_GC_Del) return;
  ReportBreach(watched, object,
               {.kind = "wrong-free",
                .what = "the type's tp_free does not match how its instances are allocated",
                .rule = kMatchingRule,
                .hint = "leave tp_free out: the type then inherits the one that matches",
                .expected = watched.is_gc ? "PyObject_GC_Del" : "PyObject_Free",
                .found = watched.is_gc ? "a plain free function" : "PyObject_GC_Del"});
}

void ReportForeignFree(const WatchedType& watched, PyObject* object, const char* function) {
  ReportBreach(watched, object,
               {.kind = "wrong-free",
                .what = "a collectable instance was freed as plain memory",
                .rule = kMatchingRule,
                .hint = "call Py_TYPE(self)->tp_free(self) in tp_dealloc",
                .expected = "PyObject_GC_Del, through tp_free",
                .found = function});
}

void JudgeUnfreed(const Target& target, LaneLog& log) {
  ModuleMemory memory(target);
  for (const Unfreed& unfreed : log.unfreed) {
    if (unfreed.born_since == 0 || IsPoisoned(unfreed.object) || HeldReferences(unfreed.object) > 0) continue;
    const WatchedType& watched = target.watch.types()[static_cast<size_t>(unfreed.type)];
    if (IsLegal("no-free", watched.name) || memory.Find(unfreed.object) != Place::kNowhere) continue;
    ReportBreach(
        watched, unfreed.object,
        {.kind = "no-free",
         .what = "tp_dealloc returned without freeing its instance",
         .rule = "tp_dealloc must free the instance's memory by calling the type's tp_free (CPython "
                 "documentation: tp_dealloc)",
         .hint = "call Py_TYPE(self)->tp_free(self) at the end of tp_dealloc",
         .expected = "freed, or reused for the " + std::to_string(unfreed.born_since) + " instances made since",
         .found = "neither"});
  }
  log.unfreed.clear();
}

}  // namespace refquake
