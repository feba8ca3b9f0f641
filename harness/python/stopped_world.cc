// A stepped lane that has stopped the world makes no steps until it starts it again, but where it waits: nobody else
// could run, and what it does meanwhile, such as visiting every object in the order of their addresses, is not what a
// schedule is about. How many steps it took would hang on what the allocator handed out long before.
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
