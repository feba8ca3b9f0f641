// Trial calls: does this callable take n arguments, and which kinds of them make it succeed?
//
//   Trial trial;
//   trial.AddCandidate(instance);                     // borrowed; tried as an argument
//   Trial::Answer answer = trial.Call(callable, 1);   // answer.accepted, answer.result
//
// Contract: every object a trial makes stays alive for the life of the process, and candidates hold
// spare references, so that a reference-count bug in the code under trial cannot crash discovery.
#ifndef REFQUAKE_PYTHON_TRIAL_H_
#define REFQUAKE_PYTHON_TRIAL_H_

#include <Python.h>

#include <vector>

namespace refquake {

class Trial {
 public:
  struct Answer {
    bool accepted = false;       // succeeded, or failed for another reason than its arguments' number or types
    bool succeeded = false;
    PyObject* result = nullptr;  // borrowed, immortalised by the trial; null unless succeeded
  };

  Trial();

  void AddCandidate(PyObject* object);

  // Calls callable(prefix..., x1, ..., xn) with combinations of candidates until one succeeds.
  Answer Call(PyObject* callable, int nargs, PyObject* self = nullptr);
  // self.name = candidate, until one succeeds.
  Answer Set(PyObject* self, PyObject* name);
  Answer Delete(PyObject* self, PyObject* name);

 private:
  // Keeps the object alive for good and lets a few stray DECREFs pass.
  static void Keep(PyObject* object);

  std::vector<PyObject*> candidates_;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_TRIAL_H_
