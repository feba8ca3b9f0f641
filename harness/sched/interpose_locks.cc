// More locks, taken over as those in interpose.cc: mutexes with a time-out, C11's, read-write locks.
//
// C11's are glibc's own mutexes and conditions under other names, but its functions call the inner ones past every
// interceptor: neither would the token scheduler see them, nor ThreadSanitizer, which would call what they guard a
// race. So they become the POSIX calls, for every thread.
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "sched/interpose.h"
#include "sched/lane.h"
#include "sched/pool.h"

using refquake::sched::IsManaged;
using refquake::sched::Kind;
using refquake::sched::kLongAgo;
using refquake::sched::kNoDeadline;
using refquake::sched::LockManaged;
using refquake::sched::Nanoseconds;
using refquake::sched::RealDeadline;
using refquake::sched::WaitFor;
using refquake::sched::WakeWaiters;
using refquake::sched::YieldPoint;

REFQUAKE_REAL(pthread_mutex_timedlock)
REFQUAKE_REAL(pthread_mutex_clocklock)
REFQUAKE_REAL(pthread_rwlock_rdlock)
REFQUAKE_REAL(pthread_rwlock_wrlock)
REFQUAKE_REAL(pthread_rwlock_timedrdlock)
REFQUAKE_REAL(pthread_rwlock_timedwrlock)
REFQUAKE_REAL(pthread_rwlock_unlock)

namespace {

int LockRwManaged(pthread_rwlock_t* lock, int (*attempt)(pthread_rwlock_t*, const timespec*),
                  int (*real)(pthread_rwlock_t*), uintptr_t pc) {
  YieldPoint(Kind::kAcquire, pc);
  for (;;) {
    const int result = attempt(lock, &kLongAgo);
    if (result != ETIMEDOUT) return result;
    WaitFor(lock, kNoDeadline, pc);
    if (!IsManaged()) return real(lock);
  }
}

int C11(int result) {
  if (result == 0) return thrd_success;
  if (result == EBUSY) return thrd_busy;
  return result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

pthread_mutex_t* Posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* Posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }
static_assert(sizeof(mtx_t) <= sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
              sizeof(once_flag) == sizeof(pthread_once_t));

}  // namespace

extern "C" {

// The linker is told to want this name: see CMakeLists.txt.
extern const char refquake_interposed_locks = 0;

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  if (!IsManaged()) return Real(pthread_mutex_timedlock)(mutex, deadline);
  YieldPoint(Kind::kAcquire, REFQUAKE_PC);
  return LockManaged(mutex, Nanoseconds(deadline), REFQUAKE_PC);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) noexcept {
  if (!IsManaged()) {
    const timespec real = RealDeadline(clock, deadline);
    return Real(pthread_mutex_clocklock)(mutex, clock, &real);
  }
  YieldPoint(Kind::kAcquire, REFQUAKE_PC);
  return LockManaged(mutex, Nanoseconds(deadline), REFQUAKE_PC);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  if (!IsManaged()) return Real(pthread_rwlock_rdlock)(lock);
  return LockRwManaged(lock, Real(pthread_rwlock_timedrdlock), Real(pthread_rwlock_rdlock), REFQUAKE_PC);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  if (!IsManaged()) return Real(pthread_rwlock_wrlock)(lock);
  return LockRwManaged(lock, Real(pthread_rwlock_timedwrlock), Real(pthread_rwlock_wrlock), REFQUAKE_PC);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  if (!IsManaged()) return Real(pthread_rwlock_unlock)(lock);
  const int result = Real(pthread_rwlock_unlock)(lock);
  WakeWaiters(lock, refquake::sched::kMaxLanes);
  YieldPoint(Kind::kRelease, REFQUAKE_PC);
  return result;
}

void call_once(once_flag* flag, void (*made)()) { pthread_once(reinterpret_cast<pthread_once_t*>(flag), made); }
int mtx_lock(mtx_t* mutex) { return C11(pthread_mutex_lock(Posix(mutex))); }
int mtx_trylock(mtx_t* mutex) { return C11(pthread_mutex_trylock(Posix(mutex))); }
int mtx_timedlock(mtx_t* mutex, const timespec* deadline) {
  return C11(pthread_mutex_timedlock(Posix(mutex), deadline));
}
int mtx_unlock(mtx_t* mutex) { return C11(pthread_mutex_unlock(Posix(mutex))); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) { return C11(pthread_cond_wait(Posix(condition), Posix(mutex))); }
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* deadline) {
  return C11(pthread_cond_timedwait(Posix(condition), Posix(mutex), deadline));
}
int cnd_signal(cnd_t* condition) { return C11(pthread_cond_signal(Posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return C11(pthread_cond_broadcast(Posix(condition))); }

}  // extern "C"
