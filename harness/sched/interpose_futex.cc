// The futex calls that code makes by syscall(2), taken over as the locks in interpose.cc: std::atomic::wait, semaphores
// of C++20, Rust's locks. This library's own waits do not come here: futex.cc makes the real call.
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/futex.h"
#include "sched/interpose.h"
#include "sched/lane.h"
#include "sched/pool.h"

using refquake::sched::IsManaged;
using refquake::sched::Kind;
using refquake::sched::kNoDeadline;
using refquake::sched::Nanoseconds;
using refquake::sched::PlainSyscall;
using refquake::sched::ReadVirtualNanoseconds;
using refquake::sched::RealDeadline;
using refquake::sched::WaitFor;
using refquake::sched::WakeWaiters;
using refquake::sched::YieldPoint;

namespace {

// A spurious end is allowed: who waits looks again.
long WaitManaged(uint32_t* word, int command, uint32_t expected, const timespec* timeout, uintptr_t pc) {
  YieldPoint(Kind::kAcquire, pc);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected) {
    errno = EAGAIN;
    return -1;
  }
  int64_t deadline = kNoDeadline;
  if (timeout != nullptr) {  // FUTEX_WAIT has a span of time, the other a moment
    deadline = Nanoseconds(timeout) + (command == FUTEX_WAIT ? ReadVirtualNanoseconds() : 0);
  }
  if (WaitFor(word, deadline, pc)) return 0;  // also if the lane was let go
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace

extern "C" {

// The linker is told to want this name: see CMakeLists.txt.
extern const char refquake_interposed_futex = 0;

long syscall(long number, ...) noexcept {
  long given[6];
  va_list list;
  va_start(list, number);
  for (long& one : given) one = va_arg(list, long);
  va_end(list);
  const int command = static_cast<int>(given[1]) & FUTEX_CMD_MASK;
  auto* word = reinterpret_cast<uint32_t*>(given[0]);
  const bool lane_waits = number == SYS_futex && IsManaged();
  if (lane_waits && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)) {
    return WaitManaged(word, command, static_cast<uint32_t>(given[2]), reinterpret_cast<const timespec*>(given[3]),
                       REFQUAKE_PC);
  }
  timespec real;
  if (number == SYS_futex && command == FUTEX_WAIT_BITSET && given[3] != 0 && (given[1] & FUTEX_CLOCK_REALTIME) == 0) {
    real = RealDeadline(CLOCK_MONOTONIC, reinterpret_cast<const timespec*>(given[3]));
    given[3] = reinterpret_cast<long>(&real);
  }
  const long result = PlainSyscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  if (!lane_waits || result < 0 || command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) return result;
  // A wake by bits, and what moves waiters elsewhere, wakes all: an end for no reason is allowed.
  const int woken = WakeWaiters(word, command == FUTEX_WAKE ? static_cast<int>(given[2]) : refquake::sched::kMaxLanes);
  YieldPoint(Kind::kRelease, REFQUAKE_PC);
  return result + woken;
}

}  // extern "C"
