// Trial calls: does this callable take n arguments, and which kinds of them make it succeed?
//
//   Trial trial(target, deny);
//   trial.AddMaker(type, callable, {});               // how to make a fresh instance of a type
//   Trial::Answer answer = trial.Call({"deque", callable}, 1);
//   answer.accepted, answer.succeeded, answer.hints
//
// Arguments are tried in an order that is the same in every process: all of them where there is one, a fixed
// random sample where there are more; once a combination succeeds, each argument is varied alone.
//
// Contract: every object a trial makes stays alive for the life of the process: a broken tp_dealloc is to be
// found by a program, with an input that reproduces. A crash or a hang names its call (trial_guard.h).
#ifndef REFQUAKE_PYTHON_TRIAL_H_
#define REFQUAKE_PYTHON_TRIAL_H_

#include <Python.h>

#include <set>
#include <string>
#include <vector>

#include "core/op_table.h"
#include "core/rng.h"
#include "python/discover_deny.h"
#include "python/target.h"

namespace refquake {

class Trial {
 public:
  // What is tried as an argument: a value of the target, or an instance of a type of it.
  struct Candidate {
    int value = -1;
    int type = kNoType;
  };

  struct Subject {
    std::string name;  // as programs write it: "deque", "deque.rotate"
    PyObject* callable = nullptr;
    int self = kNoType;  // the type of the first argument, made by the trial
  };

  struct Answer {
    // Succeeded, or failed for another reason than its arguments' number or types. Not if a call slept or waited.
    bool accepted = false;
    bool succeeded = false;
    bool endless = false;              // a result is, or gives, an iterator that does not end
    std::vector<PyObject*> results;    // one of each type seen; borrowed, alive for good
    std::vector<Candidate> arguments;  // of the first success, without self
    std::vector<Candidate> filled;     // of the first whose result is true (it holds something), if any is
    std::vector<ArgHint> hints;        // for each argument, self not counted; an empty one: anything will do
  };

  Trial(Target& target, const DenyList& deny);

  // Makes instances of `type` by callable(self..., arguments...); the first maker stays.
  void AddMaker(int type, const Subject& subject, const std::vector<Candidate>& arguments, PyObject* instance);
  bool CanMake(int type) const;
  // An instance nothing was tried on yet, where one can be made; else one made before. Null if none ever was.
  PyObject* Fresh(int type, int depth = 0);
  // Instances of every type, its position in the op table, that trials may pass.
  void UseValues();

  // How programs write these, one by one; empty if an instance is among them.
  std::vector<std::string> Texts(const std::vector<Candidate>& arguments) const;

  // Takes the reference, for good. The holder is an object of the interpreter, so that what trials made is
  // seen to be held: a module's singleton among it would look leaked otherwise.
  void Keep(PyObject* object);
  Answer Call(const Subject& subject, int nargs);
  // self.name = candidate, for each: which succeed.
  Answer Set(const Subject& subject, PyObject* name);
  bool Delete(const Subject& subject, PyObject* name);

 private:
  struct Maker {
    Subject subject;
    std::vector<Candidate> arguments;
    PyObject* instance = nullptr;
  };
  enum class Outcome { kOk, kArgument, kNumber, kOther, kWaits };

  Outcome Attempt(const Subject& subject, PyObject* self, const std::vector<Candidate>& arguments, PyObject** result);
  void Note(const Subject& subject, const std::vector<Candidate>& arguments, Outcome outcome, PyObject* result,
            Answer& answer);
  static bool IsFilled(const Subject& maker, PyObject* object);
  bool RunsOn(const Subject& maker, PyObject* iterable);
  void Vary(const Subject& subject, Answer& answer);
  std::string Text(const Subject& subject, const std::vector<Candidate>& arguments) const;
  PyObject* Make(const Candidate& candidate, int depth);
  bool MayMakeMore();

  Target& target_;
  const DenyList& deny_;
  PyObject* kept_;  // a list; owned for the life of the process
  std::vector<Candidate> candidates_;
  std::vector<Maker> makers_;  // index: type; without a callable: none
  long memory_at_start_ = 0;   // pages
  uint32_t calls_ = 0;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_TRIAL_H_
