#include "python/watch.h"

#include <utility>

#include "python/free_threading.h"
#include "python/oracles/dealloc_contract.h"
#include "python/oracles/dict_contract.h"
#include "python/oracles/exception_contract.h"
#include "python/oracles/finalizer_contract.h"
#include "python/oracles/free_contract.h"
#include "python/quarantine.h"
#include "python/ref.h"

namespace refquake {
namespace {

TypeWatch* g_watch = nullptr;

void Note(PyObject* object, int type, bool birth) {
  LaneLog& log = LaneLog::Mine();
  log.events.push_back({object, type, log.place, birth});
}

void LogBirth(PyObject* object, int type) {
  Note(object, type, /*birth=*/true);
  Quarantine::NoteAllocation(object);
  for (Unfreed& unfreed : LaneLog::Mine().unfreed) unfreed.born_since += unfreed.type == type;
}

const WatchedType& TypeAt(int index) { return g_watch->types()[static_cast<size_t>(index)]; }

PyObject* WatchedAlloc(PyTypeObject* type, Py_ssize_t items) {
  const WatchedType* watched = g_watch->Find(type);
  PyObject* object = watched->alloc(type, items);
  if (object) LogBirth(object, watched->index);
  return object;
}

void WatchedFree(void* memory) {
  PyObject* object = static_cast<PyObject*>(memory);
  LaneLog& log = LaneLog::Mine();
  if (SlotFrame* frame = log.frees_running; frame && frame->self == memory) {
    // A tp_free that leaves the work to its base's.
    const WatchedType* base = g_watch->NextBase(TypeAt(frame->running), &WatchedType::free);
    if (!base) return (PyObject_IS_GC(object) ? PyObject_GC_Del : PyObject_Free)(memory);
    frame->running = base->index;
    return base->free(memory);
  }
  DeallocFrame* frame = log.deallocs_running;
  if (frame && frame->self != object) frame = nullptr;
  if (frame && frame->freed) return JudgeFreeFunction(TypeAt(frame->type), object, /*again=*/true);
  const WatchedType* watched = g_watch->Find(Py_TYPE(object));
  JudgeFreeFunction(*watched, object, /*again=*/false);
  JudgeDict(*watched, object, frame);
  JudgeFinalizer(*watched, object, frame);
  JudgeFree(*watched, object, log);
  Note(object, watched->index, /*birth=*/false);
  if (Quarantine::Hold(object, *watched)) return;
  SlotFrame running{memory, watched->index, log.frees_running};
  log.frees_running = &running;
  watched->free(memory);
  log.frees_running = running.outer;
}

void WatchedFinalize(PyObject* object) {
  LaneLog& log = LaneLog::Mine();
  if (DeallocFrame* frame = log.deallocs_running; frame && frame->self == object) frame->finalized = true;
  const WatchedType* watched = g_watch->Find(Py_TYPE(object));
  SlotFrame* outer = log.finalizers_running;
  if (outer && outer->self == object) watched = g_watch->NextBase(TypeAt(outer->running), &WatchedType::finalize);
  if (!watched) return;
  SlotFrame running{object, watched->index, outer};
  log.finalizers_running = &running;
  watched->finalize(object);
  log.finalizers_running = outer;
}

// A subclass's tp_dealloc calls its base's: the same function again, for the same object.
void DelegateDealloc(PyObject* object, DeallocFrame& frame) {
  const WatchedType* base = g_watch->NextBase(TypeAt(frame.running), &WatchedType::dealloc);
  if (!base) return PyBaseObject_Type.tp_dealloc(object);
  const int derived = frame.running;
  frame.running = base->index;
  base->dealloc(object);
  frame.running = derived;
}

// An instance that tp_dealloc did not hand to tp_free. True if it is dead all the same.
bool SettleUnfreed(const WatchedType& watched, const DeallocFrame& frame, LaneLog& log) {
  const Fate fate = FateOf(frame);
  if (fate == Fate::kAlive || fate == Fate::kDeferred) return false;
  Note(frame.self, watched.index, /*birth=*/false);
  if (fate == Fate::kLeft && log.judged) log.unfreed.push_back({frame.self, watched.index, log.place});
  return true;
}

// Before 3.14 it is tp_dealloc that defers itself where the C stack gets short (Py_TRASHCAN_BEGIN), and only if the
// type's slot holds it: there the slot is given back for the while. What is deferred comes through the slot again.
class OwnSlot {
 public:
  OwnSlot([[maybe_unused]] PyTypeObject* type, [[maybe_unused]] destructor own) {
#if PY_VERSION_HEX < 0x030E0000
    if (PyThreadState_Get()->c_recursion_remaining > Py_TRASHCAN_HEADROOM || !type->tp_dealloc) return;
    type_ = type;
    watched_ = std::exchange(type->tp_dealloc, own);
#endif
  }
  ~OwnSlot() {
    if (type_) type_->tp_dealloc = watched_;
  }
  OwnSlot(const OwnSlot&) = delete;
  OwnSlot& operator=(const OwnSlot&) = delete;

 private:
  PyTypeObject* type_ = nullptr;
  destructor watched_ = nullptr;
};

void WatchedDealloc(PyObject* object) {
  LaneLog& log = LaneLog::Mine();
  DeallocFrame* outer = log.deallocs_running;
  if (outer && outer->self == object && !outer->freed) return DelegateDealloc(object, *outer);
  const WatchedType* watched = g_watch->Find(Py_TYPE(object));
  // A type with CPython's dealloc for classes comes here by its base's.
  if (!watched->dealloc) watched = g_watch->NextBase(*watched, &WatchedType::dealloc);
  // The type may go with its last instance; while its dealloc is judged it must stay. Not a reference:
  // the target holds one for as long as the process lives.
  PyTypeObject* exact = Py_TYPE(object);
  DeallocFrame frame{.self = object, .type = watched->index, .running = watched->index, .outer = outer};
  JudgeDeallocStart(*watched, object, log, frame);
  HoldDict(object, log, frame);
  ExceptionJudge exception(log);
  log.deallocs_running = &frame;
  {
    const OwnSlot own(exact, watched->dealloc);
    watched->dealloc(object);
  }
  log.deallocs_running = frame.outer;
  exception.Finish(*watched, object);
  ReleaseDict(frame);
  const bool dead = frame.freed || SettleUnfreed(*watched, frame, log);
  if (dead && exact == watched->type) ++log.deallocs_finished[static_cast<size_t>(watched->index)];
  JudgeDeallocEnd(*watched, exact, log, frame);
}

// CPython's dealloc for classes, which a type made from a spec without a tp_dealloc has too.
destructor ClassDealloc() {
  static destructor dealloc = nullptr;
  if (!dealloc) {
    PyType_Slot none[] = {{0, nullptr}};
    PyType_Spec spec = {.name = "refquake.Plain", .flags = Py_TPFLAGS_DEFAULT, .slots = none};
    PyObject* type = PyType_FromSpec(&spec);
    if (!type) return nullptr;
    dealloc = reinterpret_cast<PyTypeObject*>(type)->tp_dealloc;
    Py_DECREF(type);
  }
  return dealloc;
}

}  // namespace

void TypeWatch::NoteBirth(const WatchedType& watched, PyObject* object) { LogBirth(object, watched.index); }

void TypeWatch::NoteMove(const WatchedType& watched, PyObject* from, PyObject* to) {
  Note(from, watched.index, /*birth=*/false);
  LogBirth(to, watched.index);
}

TypeWatch::TypeWatch() {
  buckets_.fill(-1);
  types_.reserve(kMaxWatchedTypes);
  g_watch = this;
  Quarantine::Install();
}

TypeWatch* TypeWatch::Current() { return g_watch; }

int TypeWatch::Add(PyTypeObject* type) {
  if (const WatchedType* known = FindExact(type)) return known->index;
  if (types_.size() == kMaxWatchedTypes) return -1;
  WatchedType watched;
  watched.type = type;
  watched.index = static_cast<int>(types_.size());
  watched.name = type->tp_name;
  if (watched.name.find('.') == std::string::npos) {
    // Not from tp_dict: the interpreter's own static types have none.
    Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
    if (module && PyUnicode_Check(module.get())) {
      watched.name = std::string(PyUnicode_AsUTF8(module.get())) + "." + watched.name;
    }
    PyErr_Clear();
  }
  watched.is_gc = PyType_IS_GC(type);
  watched.is_heap = PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE);
  // A slot inherited from a watched base already is ours: take the base's original.
  const WatchedType* base = Find(type);
  watched.alloc = type->tp_alloc == WatchedAlloc ? base->alloc : type->tp_alloc;
  watched.free = type->tp_free == WatchedFree ? base->free : type->tp_free;
  watched.dealloc = type->tp_dealloc == WatchedDealloc ? base->dealloc : type->tp_dealloc;
  watched.finalize = type->tp_finalize == WatchedFinalize ? base->finalize : type->tp_finalize;
  if (watched.dealloc == ClassDealloc()) watched.dealloc = nullptr;
  if (watched.alloc) type->tp_alloc = WatchedAlloc;
  if (watched.free) type->tp_free = WatchedFree;
  if (watched.dealloc) type->tp_dealloc = WatchedDealloc;
  if (watched.finalize) type->tp_finalize = WatchedFinalize;
  size_t bucket = Bucket(type);
  while (buckets_[bucket] >= 0) bucket = (bucket + 1) & (kBuckets - 1);
  buckets_[bucket] = static_cast<int16_t>(watched.index);
  types_.push_back(std::move(watched));
  return types_.back().index;
}

const WatchedType* TypeWatch::FindExact(PyTypeObject* type) const {
  for (size_t bucket = Bucket(type); buckets_[bucket] >= 0; bucket = (bucket + 1) & (kBuckets - 1)) {
    const WatchedType& watched = types_[static_cast<size_t>(buckets_[bucket])];
    if (watched.type == type) return &watched;
  }
  return nullptr;
}

const WatchedType* TypeWatch::Find(PyTypeObject* type) const {
  for (; type; type = type->tp_base) {
    if (const WatchedType* watched = FindExact(type)) return watched;
  }
  return nullptr;
}

}  // namespace refquake
