// What yield points and interposed calls ask of the token scheduler. Internal to this library.
#ifndef REFQUAKE_SCHED_LANE_H_
#define REFQUAKE_SCHED_LANE_H_

#include <cstdint>

#include "sched/policy.h"

namespace refquake::sched {

// The managed lane this thread is; -1 for every other thread and in free-running phases. One load and
// one compare: that is all a yield point costs while nothing is managed.
extern constinit thread_local int managed_lane __attribute__((tls_model("initial-exec")));

static inline bool IsManaged() { return __builtin_expect(managed_lane >= 0, 0); }

// All of the below: only from a managed lane.

// A yield point: the lane may lose the token here and get it back before the call returns.
void YieldPoint(Kind kind, uintptr_t pc);
// The same, about to read or write what lies at `address`.
void LoadPoint(const void* address, uintptr_t pc);
void StorePoint(uintptr_t pc);

inline constexpr int64_t kNoDeadline = -1;
// Waits until WakeWaiters(object) or, with a deadline in virtual nanoseconds, until the scheduler lets it
// time out. False for a time-out. True may also mean that there is nothing to wait for: the caller looks again, and if
// it is no managed lane any more (let_go.h), makes the real call.
bool WaitFor(const void* object, int64_t deadline, uintptr_t pc);
// Makes the `count` lanes that have waited longest for `object` runnable. Returns how many there were.
int WakeWaiters(const void* object, int count);

// Virtual time; each reading moves it on by a microsecond, so a lane that polls the clock gets on.
int64_t ReadVirtualNanoseconds();

// Nanoseconds by which virtual time has ever been ahead of real time: every other thread is shown the monotonic clock
// that much later, and its deadlines on that clock are as much too late for the kernel.
int64_t AheadOfReal();

// How many nanoseconds of virtual time are left to a deadline: for a lane that has been let go.
int64_t FromNow(int64_t deadline);

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_LANE_H_
