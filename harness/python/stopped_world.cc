// A stepped lane that has stopped the world makes no steps until it starts it again, but where it waits. What it does
// meanwhile, such as visiting every object in the order of their addresses, would take more steps or fewer by what the
// allocator handed out long before. Nobody else runs but a lane that has left Python (Py_BEGIN_ALLOW_THREADS): stepped,
// that one does not meet the collector's visits.
//
// The linker's --wrap brings CPython's own calls here (cmake/RefquakeFlavour.cmake).
// Source: CPython, Include/internal/pycore_pystate.h (_PyEval_StopTheWorld).
#include <Python.h>

#include "sched/token.h"

extern "C" {

void __real__PyEval_StopTheWorld(PyInterpreterState* interpreter);
void __real__PyEval_StartTheWorld(PyInterpreterState* interpreter);

void __wrap__PyEval_StopTheWorld(PyInterpreterState* interpreter) {
  __real__PyEval_StopTheWorld(interpreter);
  refquake::sched::KeepToken();
}

void __wrap__PyEval_StartTheWorld(PyInterpreterState* interpreter) {
  refquake::sched::StopKeepingToken();
  __real__PyEval_StartTheWorld(interpreter);
}

}  // extern "C"
