#include "python/oracles/dealloc_contract.h"

#include "python/free_threading.h"
#include "python/oracles/contract.h"

namespace refquake {
namespace {

bool WeakReferencesLeft(PyObject* object) {
  const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
  if (offset == 0) return false;
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset) != nullptr;
}

// Plain references to the type that its instances' deallocs should have dropped since the frame began.
Py_ssize_t DropsDue(const WatchedType& watched, const LaneLog& log, const DeallocFrame& frame) {
  return static_cast<Py_ssize_t>(log.deallocs_finished[static_cast<size_t>(watched.index)] - frame.type_deallocs);
}

bool JudgesTypeReference(const WatchedType& watched, PyTypeObject* exact, const LaneLog& log,
                         const DeallocFrame& frame) {
  return frame.disturbances == log.disturbances && watched.is_heap && exact == watched.type && log.alone &&
         !IsImmortal(reinterpret_cast<PyObject*>(exact));
}

}  // namespace

void JudgeDeallocStart(const WatchedType& watched, PyObject* object, const LaneLog& log, DeallocFrame& frame) {
  const DeallocFrame* outer = frame.outer;
  // A member's death inside its holder's tp_dealloc: by then the collector must not see the holder.
  // While a finalizer runs the holder is alive again (its count is not zero), and tracked by right.
  if (outer && outer->self != object && !outer->freed && Py_REFCNT(outer->self) == 0) {
    const WatchedType& holder = TypeWatch::Current()->types()[static_cast<size_t>(outer->type)];
    if (holder.is_gc && Py_TYPE(outer->self) == holder.type && PyObject_GC_IsTracked(outer->self)) {
      ReportBreach(holder, outer->self,
                   {.kind = "still-tracked-in-dealloc",
                    .what = "a member died while its holder, in tp_dealloc, was still tracked",
                    .rule = "untrack before any field goes: clearing a field can run any code, a collection included "
                            "(CPython documentation: tp_dealloc)",
                    .hint = "call PyObject_GC_UnTrack(self) first in tp_dealloc"});
    }
  }
  frame.type_references = PlainTypeReferences(Py_TYPE(object));
  frame.disturbances = log.disturbances;
  frame.type_deallocs = log.deallocs_finished[static_cast<size_t>(watched.index)];
}

void JudgeFree(const WatchedType& watched, PyObject* object, LaneLog& log) {
  if (watched.is_gc && PyObject_GC_IsTracked(object)) {
    ReportBreach(
        watched, object,
        {.kind = "still-tracked-at-free",
         .what = "tp_free was called on an instance the collector still tracks",
         .rule = "a tp_dealloc must untrack its instance before it frees it (CPython documentation: tp_dealloc)",
         .hint = "call PyObject_GC_UnTrack(self) first in tp_dealloc"});
  }
  if (WeakReferencesLeft(object)) {
    ReportBreach(
        watched, object,
        {.kind = "weakrefs-left",
         .what = "tp_free was called while weak references to the instance remain",
         .rule = "a weakly referenceable type's tp_dealloc must call PyObject_ClearWeakRefs (CPython documentation: "
                 "tp_weaklistoffset)",
         .hint = "call PyObject_ClearWeakRefs(self) in tp_dealloc, after untracking and before the fields go"});
  }
  DeallocFrame* frame = log.deallocs_running;
  if (!frame || frame->self != object) return;
  frame->freed = true;
  if (JudgesTypeReference(watched, Py_TYPE(object), log, *frame))
    frame->type_references_at_free = PlainTypeReferences(Py_TYPE(object));
}

void JudgeDeallocEnd(const WatchedType& watched, PyTypeObject* exact, const LaneLog& log, const DeallocFrame& frame) {
  if (!frame.freed || !JudgesTypeReference(watched, exact, log, frame)) return;
  const Py_ssize_t references = PlainTypeReferences(exact);
  const Py_ssize_t due = frame.type_references - DropsDue(watched, log, frame);
  // Members that die may hold the type too (a bound class method, a __reduce__ tuple): a low count at tp_free
  // alone tells nothing. It does where nothing is dropped behind tp_free either.
  if (references <= due && references == frame.type_references_at_free) {
    ReportBreach(
        watched, frame.self,
        {.kind = "type-reference-early",
         .what = "the type's reference was dropped before tp_free was called",
         .rule = "an instance owns a reference to its heap type until its memory is freed: tp_free may read the type",
         .hint = "keep the type in a local variable, call tp_free, then Py_DECREF(type)"});
  }
  if (references > due) {
    ReportBreach(
        watched, frame.self,
        {.kind = "type-reference-kept",
         .what = "tp_dealloc freed an instance but kept its reference to the type",
         .rule = "since Python 3.8 every instance of a heap type owns a reference to it, which tp_dealloc must drop",
         .hint = "call Py_DECREF(type) after tp_free in tp_dealloc",
         .expected = "at most " + std::to_string(due) + " references to the type, of " +
                     std::to_string(frame.type_references) + " before",
         .found = std::to_string(references)});
  }
}

}  // namespace refquake
