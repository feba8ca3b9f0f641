// What can be known about memory that may have been freed, under the address sanitizer and without it.
//
//   if (IsPoisoned(object)) ...       // freed, or in quarantine; always false without the sanitizer
#ifndef REFQUAKE_PYTHON_MEMORY_STATE_H_
#define REFQUAKE_PYTHON_MEMORY_STATE_H_

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

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_MEMORY_STATE_H_
