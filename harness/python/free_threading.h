// What differs between free-threaded CPython and CPython with the GIL, in one place.
//
// Source: CPython Include/refcount.h and Include/object.h. On a free-threaded build a count is split
// into ob_ref_local (the owning thread's) and ob_ref_shared (the others', in units of 4 with two flag
// bits); an object whose last non-owner reference is dropped is queued for its owner, and the queue
// then holds one reference.
#ifndef REFQUAKE_PYTHON_FREE_THREADING_H_
#define REFQUAKE_PYTHON_FREE_THREADING_H_

#include <Python.h>

namespace refquake {

#ifdef Py_GIL_DISABLED
inline constexpr bool kFreeThreaded = true;
#else
inline constexpr bool kFreeThreaded = false;
#endif

inline bool IsImmortal(PyObject* object) {
#ifdef Py_GIL_DISABLED
  return __atomic_load_n(&object->ob_ref_local, __ATOMIC_RELAXED) == _Py_IMMORTAL_REFCNT_LOCAL;
#else
  return _Py_IsImmortal(object);
#endif
}

// References that somebody holds and can name: the queue's own is left out. Exact only when no lane runs
// and the queues are drained: an object that is merged while it waits no longer shows that it does.
inline Py_ssize_t HeldReferences(PyObject* object) {
  Py_ssize_t count = Py_REFCNT(object);
#ifdef Py_GIL_DISABLED
  const Py_ssize_t shared = __atomic_load_n(&object->ob_ref_shared, __ATOMIC_RELAXED);
  if ((shared & _Py_REF_SHARED_FLAG_MASK) == _Py_REF_QUEUED) --count;
#endif
  return count;
}

// A type's count without the per-thread share that instances add: an instance's creation may not show
// in it, but a Py_DECREF(type) in a tp_dealloc does, by one.
inline Py_ssize_t PlainTypeReferences(PyTypeObject* type) {
  return Py_REFCNT(reinterpret_cast<PyObject*>(type));
}

// Merges the counts queued for the calling thread and frees what it was asked to free later. Objects may
// die. The thread state is attached. Both functions are CPython's own, called by its evaluation loop.
#ifdef Py_GIL_DISABLED
extern "C" void _Py_brc_merge_refcounts(PyThreadState* state);
extern "C" void _PyMem_ProcessDelayed(PyThreadState* state);
inline void DrainQueues() {
  PyThreadState* state = PyThreadState_Get();
  _Py_brc_merge_refcounts(state);
  _PyMem_ProcessDelayed(state);
}
#else
inline void DrainQueues() {}
#endif

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_FREE_THREADING_H_
