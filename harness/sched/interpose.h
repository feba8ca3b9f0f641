// What the files that take calls over share. Internal to this library.
#ifndef REFQUAKE_SCHED_INTERPOSE_H_
#define REFQUAKE_SCHED_INTERPOSE_H_

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <cstdint>

// Real(NAME): the function that would have been called without this file.
#define REFQUAKE_REAL(name)                                               \
  extern "C" decltype(name) __interceptor_##name __attribute__((weak));   \
  static decltype(&name) Real_##name() {                                  \
    static decltype(&name) found;                                         \
    decltype(&name) real = __atomic_load_n(&found, __ATOMIC_RELAXED);     \
    if (real != nullptr) return real;                                     \
    real = __interceptor_##name;                                          \
    if (real == nullptr) real = (decltype(&name))dlsym(RTLD_NEXT, #name); \
    __atomic_store_n(&found, real, __ATOMIC_RELAXED);                     \
    return real;                                                          \
  }
#define Real(name) Real_##name()

#define REFQUAKE_PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace refquake::sched {

inline int64_t Nanoseconds(const timespec* time) { return int64_t{time->tv_sec} * 1000000000 + time->tv_nsec; }

// A deadline that has passed: the call does not sleep, and tells who waits for itself.
inline constexpr timespec kLongAgo = {};

inline timespec Timespec(int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

// For the real call of a thread that is no managed lane: a deadline on a clock that it was shown as later than it is.
timespec RealDeadline(clockid_t clock, const timespec* deadline);
// For that of a lane that has been let go: what is left of a virtual deadline, from now on the monotonic clock.
timespec DeadlineOnceLetGo(int64_t deadline);

// By a managed lane; `deadline` in virtual nanoseconds or kNoDeadline. As pthread_mutex_timedlock.
int LockManaged(pthread_mutex_t* mutex, int64_t deadline, uintptr_t pc);

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_INTERPOSE_H_
