/* The one place that reaches into a thread state. In C, because CPython's internal headers are. */
#ifndef Py_BUILD_CORE
#  define Py_BUILD_CORE 1
#endif
#include <Python.h>

#ifdef Py_GIL_DISABLED
#  include "internal/pycore_gc.h" /* 3.13's pycore_tstate.h does not include what it needs */
#  include "internal/pycore_tstate.h"

/* The collector skips a thread whose heaps are not set up yet (gc_visit_heaps_lock_held). */
void
refquake_set_heap_visible(PyThreadState *state, int visible)
{
    __atomic_store_n(&((_PyThreadStateImpl *)state)->mimalloc.initialized, visible, __ATOMIC_SEQ_CST);
}
#else
void
refquake_set_heap_visible(PyThreadState *state, int visible)
{
    (void)state;
    (void)visible;
}
#endif
