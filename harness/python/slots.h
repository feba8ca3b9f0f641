// The slot table: a program's named places, each holding one owned reference or nothing.
//
//   SlotTable slots;
//   slots.Put(3, result);                 // steals the reference, drops what was there
//   lane_slots.CopyFrom(slots);           // own references for a lane
//   slots.MergeFrom(lane_slots);          // by the rule in docs/architecture.md
//
// Contract: the thread state is attached for every call. `changed` has a bit per slot assigned since
// CopyFrom: what the merge goes by. Dropping a reference can run any code, so a slot is emptied before
// its object goes.
#ifndef REFQUAKE_PYTHON_SLOTS_H_
#define REFQUAKE_PYTHON_SLOTS_H_

#include <Python.h>

#include <array>
#include <cstdint>
#include <utility>

#include "core/program.h"

namespace refquake {

class SlotTable {
 public:
  // Borrowed; null if the slot is empty.
  PyObject* Get(int slot) const { return objects_[static_cast<size_t>(slot)]; }

  void Put(int slot, PyObject* stolen) {
    changed_ |= 1u << slot;
    PyObject* old = std::exchange(objects_[static_cast<size_t>(slot)], stolen);
    Py_XDECREF(old);
  }

  void CopyFrom(const SlotTable& other) {
    for (int i = 0; i < kSlots; ++i) Put(i, Py_XNewRef(other.Get(i)));
    changed_ = 0;
  }

  // Takes over what `lane` assigned. Called for lane 0 first, so the highest-numbered lane wins.
  void MergeFrom(SlotTable& lane) {
    for (int i = 0; i < kSlots; ++i) {
      if (lane.changed_ & (1u << i)) Put(i, std::exchange(lane.objects_[static_cast<size_t>(i)], nullptr));
    }
    lane.Clear();
  }

  void Clear() {
    for (int i = 0; i < kSlots; ++i) Put(i, nullptr);
    changed_ = 0;
  }

 private:
  std::array<PyObject*, kSlots> objects_{};  // owned
  uint32_t changed_ = 0;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_SLOTS_H_
