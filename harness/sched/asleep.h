// Whether all lanes wait for good: nobody runs, and no time-out will wake one.
//
//   uint64_t before, after;
//   if (LanesSleep(&before)) ...                                   // some time later:
//   if (LanesSleep(&after) && after == before) ...                 // none of them has run in between
//
// Both times each lane and the thread that started the watchdog stood in a wait of its own process's (a private futex)
// without a time-out. A thread that had been woken when it was looked at would have run by the second time. What else
// could wake one: a thread of the module's (module_threads.h), a signal's handler.
//
// Contract: wrong only towards false: so it is where the kernel does not tell (/proc/self/task/N/syscall and
// schedstat).
#ifndef REFQUAKE_SCHED_ASLEEP_H_
#define REFQUAKE_SCHED_ASLEEP_H_

#include <cstdint>

namespace refquake::sched {

// `run` becomes the nanoseconds that these threads have run so far, together.
bool LanesSleep(uint64_t* run);

// Of one thread: whether it is in a call of the kernel's and neither runs nor waits for a processor; how long it has
// run. False also where the kernel does not tell.
bool SleepsInACall(int thread);
bool AddTimeRun(int thread, uint64_t* run);

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_ASLEEP_H_
