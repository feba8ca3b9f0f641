// What can be known about memory that may have been freed, under the address sanitizer and without it.
//
//   if (IsPoisoned(object)) ...       // freed, or in quarantine; always false without the sanitizer
//   if (PointsTo(module, object)) ... // the module's data or state holds the address
#ifndef REFQUAKE_PYTHON_MEMORY_STATE_H_
#define REFQUAKE_PYTHON_MEMORY_STATE_H_

#include <Python.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define REFQUAKE_ASAN 1
#endif
#endif

namespace refquake {

#ifdef REFQUAKE_ASAN
inline constexpr bool kTellsFreedMemory = true;
inline bool IsPoisoned(const void* address) { return __asan_address_is_poisoned(address) != 0; }
#else
inline constexpr bool kTellsFreedMemory = false;
inline bool IsPoisoned(const void*) { return false; }
#endif

// True if the module's state, or a writable segment of the file it was loaded from (of the program, for a
// built-in module), holds `address`.
bool PointsTo(PyObject* module, const void* address);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_MEMORY_STATE_H_
