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

// Free-threaded 3.13 makes functions, code, modules and classes immortal once a second thread starts, and so keeps
// what they hold (CPython documentation, "Python support for free threading", Immortalization).
inline constexpr bool kImmortalizes = kFreeThreaded && PY_VERSION_HEX < 0x030E0000;

// Where a type with Py_TPFLAGS_MANAGED_DICT keeps the pointer to an instance's dict, as seen from the
// instance (CPython Include/internal/pycore_object.h).
#ifdef Py_GIL_DISABLED
inline constexpr Py_ssize_t kManagedDictOffset = -1 * static_cast<Py_ssize_t>(sizeof(PyObject*));
#else
inline constexpr Py_ssize_t kManagedDictOffset = -3 * static_cast<Py_ssize_t>(sizeof(PyObject*));
#endif

// The attributes may also lie behind the instance (CPython Include/cpython/object.h, internal).
inline constexpr unsigned long kInlineValuesFlag = Py_TPFLAGS_INLINE_VALUES;

inline bool IsImmortal(PyObject* object) {
#ifdef Py_GIL_DISABLED
  return __atomic_load_n(&object->ob_ref_local, __ATOMIC_RELAXED) == _Py_IMMORTAL_REFCNT_LOCAL;
#else
  return _Py_IsImmortal(object);
#endif
}

// What PyUnstable_Object_EnableDeferredRefcount() adds to a count, so that only the collector frees the object, and the
// bit it leaves in ob_gc_bits (CPython Include/internal/pycore_object.h and pycore_gc.h, internal). 3.13 adds nothing.
inline constexpr Py_ssize_t kDeferred = PY_VERSION_HEX >= 0x030E0000 ? PY_SSIZE_T_MAX / 8 : 0;
inline constexpr uint8_t kDeferredBit = 1 << 6;

// References that somebody holds and can name: the queue's own and a deferred count's are left out. Exact only when no
// lane runs and the queues are drained: an object that is merged while it waits no longer shows that it does.
inline Py_ssize_t HeldReferences(PyObject* object) {
  Py_ssize_t count = Py_REFCNT(object);
#ifdef Py_GIL_DISABLED
  const Py_ssize_t shared = __atomic_load_n(&object->ob_ref_shared, __ATOMIC_RELAXED);
  if ((shared & _Py_REF_SHARED_FLAG_MASK) == _Py_REF_QUEUED) --count;
  if (__atomic_load_n(&object->ob_gc_bits, __ATOMIC_RELAXED) & kDeferredBit) count -= kDeferred;
#endif
  return count;
}

// A type's count without the per-thread share that instances add: an instance's creation may not show
// in it, but a Py_DECREF(type) in a tp_dealloc does, by one.
inline Py_ssize_t PlainTypeReferences(PyTypeObject* type) { return Py_REFCNT(reinterpret_cast<PyObject*>(type)); }

// Brings the calling thread to the state a fresh one has: answers what it was asked to do at its next
// Python instruction (a lane that only calls C keeps a long-served request to stop the world, and its next
// program then runs differently), merges the counts queued for it and frees what it was asked to free
// later. Objects may die. The thread state is attached. All three are CPython's own, called by its
// evaluation loop.
#ifdef Py_GIL_DISABLED
extern "C" int _Py_HandlePending(PyThreadState* state);
extern "C" void _Py_brc_merge_refcounts(PyThreadState* state);
extern "C" void _PyMem_ProcessDelayed(PyThreadState* state);
inline void DrainQueues() {
  PyThreadState* state = PyThreadState_Get();
  if (_Py_HandlePending(state) < 0) PyErr_Clear();
  _Py_brc_merge_refcounts(state);
  _PyMem_ProcessDelayed(state);
}

// What the evaluation loop does between two instructions: if the thread was asked for something (to stop
// for the collector, to merge counts), does it now. A lane that only calls C never would, and who waits to
// stop the world looks only every millisecond whether it has. The thread state is attached; objects may die.
constexpr uintptr_t kEvents = 0xff;  // the other bits are a version of the instrumentation
inline void AnswerRequests(PyThreadState* state) {
  if ((__atomic_load_n(&state->eval_breaker, __ATOMIC_RELAXED) & kEvents) == 0) return;
  if (_Py_HandlePending(state) < 0) PyErr_Clear();
}
#else
inline void DrainQueues() {}
inline void AnswerRequests(PyThreadState*) {}
#endif

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_FREE_THREADING_H_
