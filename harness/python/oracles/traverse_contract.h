// Oracle "traverse contract": what a tp_traverse owes, judged whenever the graph is built.
//
// Holds: an instance of a heap type visits its type exactly once, also where tp_traverse delegates to a
// base; traversing changes no reference count.
// Reports: type-not-visited, type-visited-twice, traverse-side-effect.
// Demanded by: CPython documentation, "tp_traverse" (since 3.9 instances of heap types visit their
// type) and "Supporting Cyclic Garbage Collection".
// Legal exceptions: a subclass made in Python is judged too (subtype_traverse visits its type, the base
// must not do so again); static types are never visited and not judged. More than one visit is no breach where a
// program passed the type around: an instance may hold it as a member.
#ifndef REFQUAKE_PYTHON_ORACLES_TRAVERSE_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_TRAVERSE_CONTRACT_H_

#include <Python.h>

#include "python/watch.h"

namespace refquake {

class TraverseJudge {
 public:
  explicit TraverseJudge(PyObject* self)
      : self_(self), type_(reinterpret_cast<PyObject*>(Py_TYPE(self))), references_(Py_REFCNT(self)) {}

  void Visited(PyObject* object) { type_visits_ += object == type_; }
  // Reports, and does not return, if the contract was broken.
  void Finish(const WatchedType& watched) const;

 private:
  PyObject* self_;
  PyObject* type_;
  Py_ssize_t references_;
  int type_visits_ = 0;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_TRAVERSE_CONTRACT_H_
