// Starts the interpreter that lives in this process, isolated and reproducible.
//
//   if (auto error = StartInterpreter({.home = prefix, .path = {dir}})) return Fail(*error);
//   ... import the target, discover, install the type watch ...
//   SettleInterpreter();   // collect, freeze, automatic collection off
//
// Contract: called once, from the thread that later calls Executor::Run; its thread state stays
// attached. The interpreter is never finalised: the process exits instead.
#ifndef REFQUAKE_PYTHON_INTERPRETER_H_
#define REFQUAKE_PYTHON_INTERPRETER_H_

#include <Python.h>

#include <optional>
#include <string>
#include <vector>

namespace refquake {

struct InterpreterOptions {
  std::string home;               // the prefix with lib/python3.x
  std::vector<std::string> path;  // put before the standard library on sys.path
  bool force_gil_off = false;     // keep the GIL off even if a module asks for it
};

// Returns an error text, or nothing on success.
std::optional<std::string> StartInterpreter(const InterpreterOptions& options);

// True on a free-threaded build whose GIL is off at this moment (an import can turn it on).
bool GilIsOff();

// Runs a full collection and turns automatic collection off: collections are ops. PyGC_Collect() does
// nothing while the collector is disabled, so ops call gc.collect. With the GIL, what is alive is also
// frozen (gc.freeze); without, the baseline's heap is passed over (baseline.h).
void SettleInterpreter();

// A full collection now (gc.collect), whether automatic collection is on or not. Pending exceptions kept.
void CollectNow();

// The text of the pending exception ("TypeError: ..."), which is cleared.
std::string TakeExceptionText();

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_INTERPRETER_H_
