// Sleeps of managed lanes: a wait with a time-out for what nobody wakes, in virtual time.
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "sched/interpose.h"
#include "sched/lane.h"

using refquake::sched::AheadOfReal;
using refquake::sched::IsManaged;
using refquake::sched::Nanoseconds;
using refquake::sched::ReadVirtualNanoseconds;
using refquake::sched::RealDeadline;
using refquake::sched::WaitFor;

REFQUAKE_REAL(nanosleep)
REFQUAKE_REAL(clock_nanosleep)
REFQUAKE_REAL(usleep)
REFQUAKE_REAL(sleep)

namespace {

// The word is the sleeping lane's own. If the lane is let go, the sleep is over.
void SleepUntil(int64_t deadline, uintptr_t pc) {
  const char bed = 0;
  WaitFor(&bed, deadline, pc);
}

void SleepFor(int64_t nanoseconds, uintptr_t pc) { SleepUntil(ReadVirtualNanoseconds() + nanoseconds, pc); }

bool IsTime(const timespec* time) { return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000; }

}  // namespace

extern "C" {

// The linker is told to want this name: see CMakeLists.txt.
extern const char refquake_interposed_sleep = 0;

int nanosleep(const timespec* time, timespec* left) {
  if (!IsManaged() || !IsTime(time)) return Real(nanosleep)(time, left);
  SleepFor(Nanoseconds(time), REFQUAKE_PC);
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  const bool until = (flags & TIMER_ABSTIME) != 0;
  if (!IsManaged() || !IsTime(time)) {
    if (!until) return Real(clock_nanosleep)(clock, flags, time, left);
    const timespec real = RealDeadline(clock, time);
    return Real(clock_nanosleep)(clock, flags, &real, left);
  }
  until ? SleepUntil(Nanoseconds(time), REFQUAKE_PC) : SleepFor(Nanoseconds(time), REFQUAKE_PC);
  return 0;
}

int usleep(useconds_t microseconds) {
  if (!IsManaged()) return Real(usleep)(microseconds);
  SleepFor(int64_t{microseconds} * 1000, REFQUAKE_PC);
  return 0;
}

unsigned sleep(unsigned seconds) {
  if (!IsManaged()) return Real(sleep)(seconds);
  SleepFor(int64_t{seconds} * 1000000000, REFQUAKE_PC);
  return 0;
}

}  // extern "C"
