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

}  // namespace

std::span<const Redirection> LockPoints() {
  static const Redirection points[] = {
      {"PyCriticalSection_Begin", reinterpret_cast<void*>(Begin)},
      {"PyCriticalSection_End", reinterpret_cast<void*>(End)},
      {"PyCriticalSection2_Begin", reinterpret_cast<void*>(Begin2)},
      {"PyCriticalSection2_End", reinterpret_cast<void*>(End2)},
  };
  return points;
}
#else
std::span<const Redirection> LockPoints() { return {}; }
#endif

}  // namespace refquake
