// The living instances of watched types, kept by adding up the lanes' births and deaths.
//
//   living.Apply(log.events);          // once per lane, at the barrier
//   living.List(instances);
//
// Contract: used by the main thread while no lane runs. An address may be born and freed by different
// lanes in any order within a phase, so only the sum counts. Objects the watch never saw born are
// listed once they are adopted.
#ifndef REFQUAKE_PYTHON_LIVING_H_
#define REFQUAKE_PYTHON_LIVING_H_

#include <span>
#include <vector>

#include "python/address_map.h"
#include "python/lane_log.h"

namespace refquake {

class Living {
 public:
  void Apply(std::span<const BirthOrDeath> events);
  // Call after all lanes' events were applied: a death without a birth is forgotten.
  void Settle();
  // Takes in an instance that was seen alive but never born: made without tp_alloc. True if it was new.
  bool Adopt(PyObject* object);
  // Replaces `instances` by the living ones, in order of their first birth.
  void List(std::vector<PyObject*>& instances);
  bool Empty() const { return alive_ == 0; }
  // Empties the books of the dead; what lives stays, and counts as old.
  void NextRun();
  // True if an instance born since NextRun lives.
  bool AnyNew();

  // References to a living instance that neither slots nor visits account for, and whose holders a walk over the
  // whole heap has found. Remembered for as long as the instance lives, for the walk is slow; trusted in later
  // programs only: in its own, garbage may have held the instance, and have gone.
  Py_ssize_t Accepted(PyObject* object);
  void Accept(PyObject* object, Py_ssize_t references);

 private:
  struct Count {
    int32_t alive = 0;
    bool old = false;
    Py_ssize_t accepted = 0;
  };
  AddressMap<Count> counts_;
  std::vector<PyObject*> survivors_;
  std::vector<Py_ssize_t> accepted_;  // of the survivors
  int64_t alive_ = 0;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_LIVING_H_
