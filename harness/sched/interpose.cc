// The calls that block, taken over for managed lanes: a lane that would wait hands its token on instead.
//
// Each function here has a libc function's name. The binary's own definition comes before libc's for
// everything it loads, so this reaches CPython (linked in) and extensions (shared objects: std::mutex,
// std::condition_variable) alike, which the linker's --wrap would not. A thread that is no managed lane
// falls through to the sanitizer's interceptor, or else to libc.
//
// A managed wait is the real "try" in a loop, and a managed release is the real one, then its waiters can
// run: ThreadSanitizer sees exactly the edges of the calls the program made.
//
// interpose_locks.cc, interpose_futex.cc and interpose_sleep.cc take more of them over. Not taken over: pthread_once,
// the guards of C++ static locals, pipes, barriers, joins. A lane that waits there for another has all let go: see
// let_go.h.
#include "sched/interpose.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include "sched/futex.h"
#include "sched/lane.h"
#include "sched/pool.h"

using refquake::sched::AheadOfReal;
using refquake::sched::DeadlineOnceLetGo;
using refquake::sched::IsManaged;
using refquake::sched::Kind;
using refquake::sched::kLongAgo;
using refquake::sched::kNoDeadline;
using refquake::sched::LockManaged;
using refquake::sched::Nanoseconds;
using refquake::sched::ReadVirtualNanoseconds;
using refquake::sched::RealDeadline;
using refquake::sched::Timespec;
using refquake::sched::WaitFor;
using refquake::sched::WakeWaiters;
using refquake::sched::YieldPoint;

REFQUAKE_REAL(sem_wait)
REFQUAKE_REAL(sem_timedwait)
REFQUAKE_REAL(sem_clockwait)
REFQUAKE_REAL(sem_post)
REFQUAKE_REAL(sched_yield)
REFQUAKE_REAL(clock_gettime)
REFQUAKE_REAL(pthread_mutex_lock)
REFQUAKE_REAL(pthread_mutex_unlock)
REFQUAKE_REAL(pthread_mutex_timedlock)
REFQUAKE_REAL(pthread_mutex_clocklock)
REFQUAKE_REAL(pthread_cond_wait)
REFQUAKE_REAL(pthread_cond_timedwait)
REFQUAKE_REAL(pthread_cond_clockwait)
REFQUAKE_REAL(pthread_cond_signal)
REFQUAKE_REAL(pthread_cond_broadcast)

namespace {

bool IsMonotonic(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_BOOTTIME;
}

int WaitForSemaphore(sem_t* semaphore, int64_t deadline, uintptr_t pc) {
  int saved = errno;
  YieldPoint(Kind::kAcquire, pc);
  while (sem_trywait(semaphore) != 0) {
    const bool timed_out = !WaitFor(semaphore, deadline, pc);
    if (!IsManaged() && deadline == kNoDeadline) return Real(sem_wait)(semaphore);
    if (!IsManaged() && !timed_out) {
      const timespec real = DeadlineOnceLetGo(deadline);
      return Real(sem_clockwait)(semaphore, CLOCK_MONOTONIC, &real);
    }
    if (timed_out) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
  errno = saved;
  return 0;
}

// No wake-up is lost between unlocking and waiting: the lane keeps the token.
int WaitForCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, int64_t deadline, uintptr_t pc) {
  int result = Real(pthread_mutex_unlock)(mutex);
  if (result != 0) return result;
  WakeWaiters(mutex, 1);
  bool woken = WaitFor(condition, deadline, pc);
  result = LockManaged(mutex, kNoDeadline, pc);
  if (result != 0) return result;
  return woken ? 0 : ETIMEDOUT;
}

}  // namespace

namespace refquake::sched {

timespec RealDeadline(clockid_t clock, const timespec* deadline) {
  return IsMonotonic(clock) ? Timespec(Nanoseconds(deadline) - AheadOfReal()) : *deadline;
}

timespec DeadlineOnceLetGo(int64_t deadline) { return Timespec(RealNanoseconds() + FromNow(deadline)); }

int LockManaged(pthread_mutex_t* mutex, int64_t deadline, uintptr_t pc) {
  for (;;) {
    int result = pthread_mutex_trylock(mutex);
    // Who waits for itself is told so, where the mutex checks for it.
    if (result == EBUSY) result = Real(pthread_mutex_timedlock)(mutex, &kLongAgo);
    if (result != ETIMEDOUT) return result;
    const bool timed_out = !WaitFor(mutex, deadline, pc);
    if (!IsManaged() && deadline == kNoDeadline) return Real(pthread_mutex_lock)(mutex);
    if (!IsManaged() && !timed_out) {
      const timespec real = DeadlineOnceLetGo(deadline);
      return Real(pthread_mutex_clocklock)(mutex, CLOCK_MONOTONIC, &real);
    }
    if (timed_out) return ETIMEDOUT;
  }
}

}  // namespace refquake::sched

extern "C" {

// The linker is told to want this name (CMakeLists.txt), and so takes this file from the archive.
extern const char refquake_interposed = 0;

int sem_wait(sem_t* semaphore) {
  if (!IsManaged()) return Real(sem_wait)(semaphore);
  return WaitForSemaphore(semaphore, kNoDeadline, REFQUAKE_PC);
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  if (!IsManaged()) return Real(sem_timedwait)(semaphore, deadline);
  return WaitForSemaphore(semaphore, Nanoseconds(deadline), REFQUAKE_PC);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  if (!IsManaged()) {
    const timespec real = RealDeadline(clock, deadline);
    return Real(sem_clockwait)(semaphore, clock, &real);
  }
  return WaitForSemaphore(semaphore, Nanoseconds(deadline), REFQUAKE_PC);
}

int sem_post(sem_t* semaphore) noexcept {
  if (!IsManaged()) return Real(sem_post)(semaphore);
  int result = Real(sem_post)(semaphore);
  WakeWaiters(semaphore, 1);
  YieldPoint(Kind::kRelease, REFQUAKE_PC);
  return result;
}

int sched_yield() noexcept {
  if (!IsManaged()) return Real(sched_yield)();
  YieldPoint(Kind::kYield, REFQUAKE_PC);
  return 0;
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  int64_t nanoseconds = 0;
  if (IsManaged() && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID) {
    nanoseconds = ReadVirtualNanoseconds();
  } else {
    const int result = Real(clock_gettime)(clock, now);
    if (result != 0 || !IsMonotonic(clock)) return result;
    nanoseconds = Nanoseconds(now) + AheadOfReal();
  }
  now->tv_sec = nanoseconds / 1000000000;
  now->tv_nsec = nanoseconds % 1000000000;
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (!IsManaged()) return Real(pthread_mutex_lock)(mutex);
  YieldPoint(Kind::kAcquire, REFQUAKE_PC);
  return LockManaged(mutex, kNoDeadline, REFQUAKE_PC);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (!IsManaged()) return Real(pthread_mutex_unlock)(mutex);
  int result = Real(pthread_mutex_unlock)(mutex);
  WakeWaiters(mutex, 1);
  YieldPoint(Kind::kRelease, REFQUAKE_PC);
  return result;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!IsManaged()) return Real(pthread_cond_wait)(condition, mutex);
  return WaitForCondition(condition, mutex, kNoDeadline, REFQUAKE_PC);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline) {
  if (!IsManaged()) {
    // On which clock is the condition's secret; the wall clock is past its first billion of seconds.
    const timespec real = RealDeadline(deadline->tv_sec < 1000000000 ? CLOCK_MONOTONIC : CLOCK_REALTIME, deadline);
    return Real(pthread_cond_timedwait)(condition, mutex, &real);
  }
  return WaitForCondition(condition, mutex, Nanoseconds(deadline), REFQUAKE_PC);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  if (!IsManaged()) {
    const timespec real = RealDeadline(clock, deadline);
    return Real(pthread_cond_clockwait)(condition, mutex, clock, &real);
  }
  return WaitForCondition(condition, mutex, Nanoseconds(deadline), REFQUAKE_PC);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (!IsManaged()) return Real(pthread_cond_signal)(condition);
  int result = Real(pthread_cond_signal)(condition);
  WakeWaiters(condition, 1);
  YieldPoint(Kind::kRelease, REFQUAKE_PC);
  return result;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (!IsManaged()) return Real(pthread_cond_broadcast)(condition);
  int result = Real(pthread_cond_broadcast)(condition);
  WakeWaiters(condition, refquake::sched::kMaxLanes);
  YieldPoint(Kind::kRelease, REFQUAKE_PC);
  return result;
}

}  // extern "C"
