#include "python/oracles/dealloc_contract.h"

#include "python/free_threading.h"
#include "python/report.h"

namespace refquake {
namespace {

void ReportContract(const char* kind, const WatchedType& watched, const char* what, const char* rule, const char* hint) {
  Finding finding;
  finding.kind = kind;
  finding.type = watched.name;
  finding.what = what;
  finding.rule = rule;
  finding.hint = hint;
  if (PassOver(finding)) return;
  Report(std::move(finding));
}

bool WeakReferencesLeft(PyObject* object) {
  const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
  if (offset == 0) return false;
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset) != nullptr;
}

// Plain references to the type that its instances' deallocs should have dropped since the frame began.
Py_ssize_t DropsDue(const WatchedType& watched, const LaneLog& log, const DeallocFrame& frame) {
  return static_cast<Py_ssize_t>(log.deallocs_finished[static_cast<size_t>(watched.index)] - frame.type_deallocs);
}

bool JudgesTypeReference(const WatchedType& watched, PyTypeObject* exact, const LaneLog& log) {
  return watched.is_heap && exact == watched.type && log.alone && !IsImmortal(reinterpret_cast<PyObject*>(exact));
}

}  // namespace

void JudgeDeallocStart(const WatchedType& watched, PyObject* object, const LaneLog& log, DeallocFrame& frame) {
  const DeallocFrame* outer = frame.outer;
  // A member's death inside its holder's tp_dealloc: by then the collector must not see the holder.
  // While a finalizer runs the holder is alive again (its count is not zero), and tracked by right.
  if (outer && outer->self != object && !outer->freed && Py_REFCNT(outer->self) == 0) {
    const WatchedType& holder = TypeWatch::Current()->types()[static_cast<size_t>(outer->type)];
    if (holder.is_gc && Py_TYPE(outer->self) == holder.type && PyObject_GC_IsTracked(outer->self)) {
      ReportContract("still-tracked-in-dealloc", holder, "a member died while its holder, in tp_dealloc, was still tracked",
                     "untrack before any field goes: clearing a field can run any code, a collection included "
                     "(CPython documentation: tp_dealloc)",
                     "call PyObject_GC_UnTrack(self) first in tp_dealloc");
    }
  }
  frame.type_references = PlainTypeReferences(Py_TYPE(object));
  frame.type_deallocs = log.deallocs_finished[static_cast<size_t>(watched.index)];
}

void JudgeFree(const WatchedType& watched, PyObject* object, LaneLog& log) {
  if (watched.is_gc && PyObject_GC_IsTracked(object)) {
    ReportContract("still-tracked-at-free", watched, "tp_free was called on an instance the collector still tracks",
                   "a tp_dealloc must untrack its instance before it frees it (CPython documentation: tp_dealloc)",
                   "call PyObject_GC_UnTrack(self) first in tp_dealloc");
  }
  if (WeakReferencesLeft(object)) {
    ReportContract("weakrefs-left", watched, "tp_free was called while weak references to the instance remain",
                   "a weakly referenceable type's tp_dealloc must call PyObject_ClearWeakRefs (CPython documentation: "
                   "tp_weaklistoffset)",
                   "call PyObject_ClearWeakRefs(self) in tp_dealloc, after untracking and before the fields go");
  }
  DeallocFrame* frame = log.deallocs_running;
  if (!frame || frame->self != object) return;
  frame->freed = true;
  if (!JudgesTypeReference(watched, Py_TYPE(object), log)) return;
  if (PlainTypeReferences(Py_TYPE(object)) < frame->type_references - DropsDue(watched, log, *frame)) {
    ReportContract("type-reference-early", watched, "the type's reference was dropped before tp_free was called",
                   "an instance owns a reference to its heap type until its memory is freed: tp_free may read the type",
                   "keep the type in a local variable, call tp_free, then Py_DECREF(type)");
  }
}

void JudgeDeallocEnd(const WatchedType& watched, PyTypeObject* exact, const LaneLog& log, const DeallocFrame& frame) {
  if (!frame.freed || !JudgesTypeReference(watched, exact, log)) return;
  if (PlainTypeReferences(exact) > frame.type_references - DropsDue(watched, log, frame)) {
    ReportContract("type-reference-kept", watched, "tp_dealloc freed an instance but kept its reference to the type",
                   "since Python 3.8 every instance of a heap type owns a reference to it, which tp_dealloc must drop",
                   "call Py_DECREF(type) after tp_free in tp_dealloc");
  }
}

}  // namespace refquake
