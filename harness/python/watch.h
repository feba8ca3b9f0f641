// Type watch: replaces tp_alloc, tp_free, tp_dealloc and tp_finalize of the types under test with
// functions that call the originals, note births and deaths, and judge the protocol as it happens.
//
//   TypeWatch watch;
//   int index = watch.Add(type);        // once per type, before any lane runs
//   watch.Find(Py_TYPE(object));        // its entry, or that of its nearest watched base
//
// Contract: Add() is called while one thread runs; afterwards the table is read-only, so the
// replaced slots read it without synchronisation. One TypeWatch per process (slots are static
// functions). Types are borrowed: the target keeps them alive. A type that leaves a slot to a base
// keeps the base's entry. CPython's own tp_dealloc for classes (subtype_dealloc) is left in place: it
// finds a type's own dealloc by comparing slots with itself.
#ifndef REFQUAKE_PYTHON_WATCH_H_
#define REFQUAKE_PYTHON_WATCH_H_

#include <Python.h>

#include <string>
#include <vector>

#include "python/lane_log.h"

namespace refquake {

struct WatchedType {
  PyTypeObject* type = nullptr;  // borrowed
  int index = 0;
  std::string name;  // as reports print it: "node.Node"
  allocfunc alloc = nullptr;
  freefunc free = nullptr;
  destructor dealloc = nullptr;
  destructor finalize = nullptr;
  bool is_gc = false;
  bool is_heap = false;
};

class TypeWatch {
 public:
  TypeWatch();

  // Index of the type's entry; a type already watched keeps its own. -1 if the table is full.
  int Add(PyTypeObject* type);

  const std::vector<WatchedType>& types() const { return types_; }
  // The entry of exactly this type, or null.
  const WatchedType* FindExact(PyTypeObject* type) const;
  // The entry of the type or of its nearest watched base, or null.
  const WatchedType* Find(PyTypeObject* type) const;

  // The nearest watched base of `derived` whose original in `slot` is another one, or null.
  template <typename Slot>
  const WatchedType* NextBase(const WatchedType& derived, Slot WatchedType::* slot) const {
    for (PyTypeObject* base = derived.type->tp_base; base; base = base->tp_base) {
      const WatchedType* watched = FindExact(base);
      if (watched && watched->*slot && watched->*slot != derived.*slot) return watched;
    }
    return nullptr;
  }

  // An instance was made without tp_alloc, on the calling thread.
  static void NoteBirth(const WatchedType& watched, PyObject* object);
  // An instance was given another address, on the calling thread; nothing lies at the old one any more.
  static void NoteMove(const WatchedType& watched, PyObject* from, PyObject* to);

  static TypeWatch* Current();

 private:
  static constexpr size_t kBuckets = 1024;  // a power of two, four times the types
  static size_t Bucket(PyTypeObject* type) { return (reinterpret_cast<uintptr_t>(type) >> 4) & (kBuckets - 1); }

  std::vector<WatchedType> types_;
  std::array<int16_t, kBuckets> buckets_;  // open addressing; -1 is free
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_WATCH_H_
