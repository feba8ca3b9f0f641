// ForgetContext: what a program set in context variables goes when the program does.
//
//   ForgetContext(PyThreadState_Get());   // after a run, and on a lane's thread after each phase
//
// Contract: the thread state is attached and no Python code runs on it; objects may die. A thread without a
// context makes an empty one when it first needs it; the version tells variables that what they remember of
// the old one is no longer true (CPython Python/context.c).
#ifndef REFQUAKE_PYTHON_THREAD_CONTEXT_H_
#define REFQUAKE_PYTHON_THREAD_CONTEXT_H_

#include <Python.h>

namespace refquake {

inline void ForgetContext(PyThreadState* state) {
  if (!state->context) return;
  ++state->context_ver;
  Py_CLEAR(state->context);
}

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_THREAD_CONTEXT_H_
