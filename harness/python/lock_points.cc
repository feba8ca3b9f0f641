#include "python/lock_points.h"

#include <Python.h>

#include "sched/token.h"

namespace refquake {

#ifdef Py_GIL_DISABLED
namespace {

using sched::Kind;

void Begin(PyCriticalSection* section, PyObject* object) {
  sched::SchedLock(Kind::kAcquire, __builtin_return_address(0));
  PyCriticalSection_Begin(section, object);
}

void End(PyCriticalSection* section) {
  PyCriticalSection_End(section);
  sched::SchedLock(Kind::kRelease, __builtin_return_address(0));
}

void Begin2(PyCriticalSection2* section, PyObject* one, PyObject* other) {
  sched::SchedLock(Kind::kAcquire, __builtin_return_address(0));
  PyCriticalSection2_Begin(section, one, other);
}

void End2(PyCriticalSection2* section) {
  PyCriticalSection2_End(section);
  sched::SchedLock(Kind::kRelease, __builtin_return_address(0));
}

#if PY_VERSION_HEX >= 0x030E0000
void BeginMutex(PyCriticalSection* section, PyMutex* mutex) {
  sched::SchedLock(Kind::kAcquire, __builtin_return_address(0));
  PyCriticalSection_BeginMutex(section, mutex);
}

void Begin2Mutex(PyCriticalSection2* section, PyMutex* one, PyMutex* other) {
  sched::SchedLock(Kind::kAcquire, __builtin_return_address(0));
  PyCriticalSection2_BeginMutex(section, one, other);
}
#endif

}  // namespace

std::span<const Redirection> LockPoints() {
  static const Redirection points[] = {
      {"PyCriticalSection_Begin", reinterpret_cast<void*>(Begin)},
      {"PyCriticalSection_End", reinterpret_cast<void*>(End)},
      {"PyCriticalSection2_Begin", reinterpret_cast<void*>(Begin2)},
      {"PyCriticalSection2_End", reinterpret_cast<void*>(End2)},
#if PY_VERSION_HEX >= 0x030E0000
      {"PyCriticalSection_BeginMutex", reinterpret_cast<void*>(BeginMutex)},
      {"PyCriticalSection2_BeginMutex", reinterpret_cast<void*>(Begin2Mutex)},
#endif
  };
  return points;
}
#else
std::span<const Redirection> LockPoints() { return {}; }
#endif

}  // namespace refquake
