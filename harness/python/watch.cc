#include "python/watch.h"

#include "python/free_threading.h"
#include "python/oracles/dealloc_contract.h"

namespace refquake {
namespace {

TypeWatch* g_watch = nullptr;

void Note(PyObject* object, int type, bool birth) {
  LaneLog& log = LaneLog::Mine();
  log.events.push_back({object, type, log.place, birth});
}

PyObject* WatchedAlloc(PyTypeObject* type, Py_ssize_t items) {
  const WatchedType* watched = g_watch->Find(type);
  PyObject* object = watched->alloc(type, items);
  if (object) Note(object, watched->index, /*birth=*/true);
  return object;
}

void WatchedFree(void* memory) {
  PyObject* object = static_cast<PyObject*>(memory);
  const WatchedType* watched = g_watch->Find(Py_TYPE(object));
  LaneLog& log = LaneLog::Mine();
  JudgeFree(*watched, object, log);
  Note(object, watched->index, /*birth=*/false);
  watched->free(memory);
}

void WatchedDealloc(PyObject* object) {
  const WatchedType* watched = g_watch->Find(Py_TYPE(object));
  LaneLog& log = LaneLog::Mine();
  // The type may go with its last instance; while its dealloc is judged it must stay. Not a reference:
  // the target holds one for as long as the process lives.
  PyTypeObject* exact = Py_TYPE(object);
  DeallocFrame frame{.self = object, .type = watched->index, .outer = log.deallocs_running};
  JudgeDeallocStart(*watched, object, log, frame);
  log.deallocs_running = &frame;
  watched->dealloc(object);
  log.deallocs_running = frame.outer;
  if (exact == watched->type) ++log.deallocs_finished[static_cast<size_t>(watched->index)];
  JudgeDeallocEnd(*watched, exact, log, frame);
}

}  // namespace

TypeWatch::TypeWatch() {
  buckets_.fill(-1);
  types_.reserve(kMaxWatchedTypes);
  g_watch = this;
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
    if (PyObject* module = PyDict_GetItemString(type->tp_dict, "__module__"); module && PyUnicode_Check(module)) {
      watched.name = std::string(PyUnicode_AsUTF8(module)) + "." + watched.name;
    }
  }
  watched.is_gc = PyType_IS_GC(type);
  watched.is_heap = PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE);
  // A slot inherited from a watched base already is ours: take the base's original.
  const WatchedType* base = Find(type);
  watched.alloc = type->tp_alloc == WatchedAlloc ? base->alloc : type->tp_alloc;
  watched.free = type->tp_free == WatchedFree ? base->free : type->tp_free;
  watched.dealloc = type->tp_dealloc == WatchedDealloc ? base->dealloc : type->tp_dealloc;
  if (watched.alloc) type->tp_alloc = WatchedAlloc;
  if (watched.free) type->tp_free = WatchedFree;
  if (watched.dealloc) type->tp_dealloc = WatchedDealloc;
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
