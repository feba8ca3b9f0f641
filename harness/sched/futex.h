// Futex waits and wakes as plain system calls, and the other primitives of this library.
//
// Why not <atomic>, std::mutex or pthread_*: ThreadSanitizer intercepts the locks and would take our
// hand-over for synchronisation between lanes. Why not even std::atomic: its inline functions may be
// linked from an instrumented object file. The compiler's __atomic builtins have no such second copy.
#ifndef REFQUAKE_SCHED_FUTEX_H_
#define REFQUAKE_SCHED_FUTEX_H_

#include <cstdint>

namespace refquake::sched {

// libc's syscall(2): this binary's own goes to the token scheduler (interpose_futex.cc). Sets errno.
long PlainSyscall(long number, long a, long b, long c, long d, long e, long f);

// Sleeps while *word == expected. May return early: the caller loops. Keeps errno.
void FutexWait(uint32_t* word, uint32_t expected);
// The same, for at most `milliseconds`.
void FutexWaitFor(uint32_t* word, uint32_t expected, int64_t milliseconds);
// Wakes up to `count` sleepers. Keeps errno.
void FutexWake(uint32_t* word, int count);

// Real time of the monotonic clock; never the virtual time of a lane.
int64_t RealNanoseconds();
// Milliseconds of real time since some start; unlike clock_gettime, never the virtual time of a lane.
int64_t RealMilliseconds();
// Of the processors that the whole process has used.
int64_t ProcessorMilliseconds();

// One clear line on standard error, then abort: for broken invariants of this library.
[[noreturn]] void Die(const char* message);

static inline uint32_t Load(const uint32_t* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void Store(uint32_t* word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
// Returns the new value.
static inline uint32_t Increment(uint32_t* word) { return __atomic_add_fetch(word, 1, __ATOMIC_ACQ_REL); }

static inline void CpuPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_FUTEX_H_
