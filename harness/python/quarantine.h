// Quarantine: a freed instance's memory is poisoned and held back for a while, so that a use after free of
// an instance is reported where it happens, with three stacks: the use (by the address sanitizer), the free
// and the allocation (by us).
//
//   Quarantine::Install();                       // once
//   Quarantine::NoteAllocation(object);          // from tp_alloc
//   if (Quarantine::Hold(object, type)) return;  // from tp_free: freed later
//
// Contract: does nothing without the address sanitizer. Held are instances whose tp_free is CPython's own,
// on a free-threaded build: all of the instance is poisoned but two words of its header, the one with the
// collector's bits and the type: the collector reads them of every block in its heaps, live or not. Each
// thread holds a few of its own. What is held when a program begins decides which memory the program gets: a stepped
// one begins with nothing held, and a use of what an earlier program freed is then told without those stacks, or
// missed.
#ifndef REFQUAKE_PYTHON_QUARANTINE_H_
#define REFQUAKE_PYTHON_QUARANTINE_H_

#include "python/watch.h"

namespace refquake {

class Quarantine {
 public:
  static void Install();
  static void NoteAllocation(const PyObject* object);
  // True if the instance is now held: it will be freed by watched.free in time.
  static bool Hold(PyObject* object, const WatchedType& watched);
  // Frees what is held. The world is stopped.
  static void Release();
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_QUARANTINE_H_
