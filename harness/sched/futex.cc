#include "sched/futex.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace refquake::sched {
namespace {

long Futex(uint32_t* word, int command, uint32_t value, const timespec* timeout) {
  return PlainSyscall(SYS_futex, reinterpret_cast<long>(word), command, static_cast<long>(value),
                      reinterpret_cast<long>(timeout), 0, 0);
}

void Wait(uint32_t* word, uint32_t expected, const timespec* timeout) {
  int saved = errno;
  Futex(word, FUTEX_WAIT_PRIVATE, expected, timeout);
  errno = saved;
}

}  // namespace

long PlainSyscall(long number, long a, long b, long c, long d, long e, long f) {
  using Syscall = long (*)(long, ...);
  static Syscall found = nullptr;
  Syscall plain = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (plain == nullptr) {
    plain = reinterpret_cast<Syscall>(dlsym(RTLD_NEXT, "syscall"));
    __atomic_store_n(&found, plain, __ATOMIC_RELAXED);
  }
  return plain(number, a, b, c, d, e, f);
}

void FutexWait(uint32_t* word, uint32_t expected) { Wait(word, expected, nullptr); }

void FutexWaitFor(uint32_t* word, uint32_t expected, int64_t milliseconds) {
  timespec timeout = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
  Wait(word, expected, &timeout);
}

void FutexWake(uint32_t* word, int count) {
  int saved = errno;
  Futex(word, FUTEX_WAKE_PRIVATE, static_cast<uint32_t>(count), nullptr);
  errno = saved;
}

namespace {

int64_t NanosecondsOf(clockid_t clock) {
  timespec now = {};
  syscall(SYS_clock_gettime, clock, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

}  // namespace

int64_t RealNanoseconds() { return NanosecondsOf(CLOCK_MONOTONIC); }

int64_t RealMilliseconds() { return RealNanoseconds() / 1000000; }

int64_t ProcessorMilliseconds() { return NanosecondsOf(CLOCK_PROCESS_CPUTIME_ID) / 1000000; }

void Die(const char* message) {
  syscall(SYS_write, STDERR_FILENO, "refquake: sched: ", sizeof("refquake: sched: ") - 1);
  syscall(SYS_write, STDERR_FILENO, message, __builtin_strlen(message));
  syscall(SYS_write, STDERR_FILENO, "\n", size_t{1});
  abort();
}

}  // namespace refquake::sched
