// A thread that reports an execution which outlives its deadline of real time: a lane that spins, or
// waits in a call nobody takes over. For free-running and stepped phases, and for the calling thread.
// It also sees a deadlock of lanes that run free, within some seconds (asleep.h, module_threads.h), and lets stepped
// lanes go that wait for each other unseen (let_go.h).
//
//   StartWatchdog(60, ReportHang);  // once
//   ArmWatchdog();                  // at the start of each execution
//   ...
//   DisarmWatchdog();
//
// `on_hang` runs on the watchdog's own thread and must end the process. Why not SIGALRM: under
// ThreadSanitizer a signal waits for the thread's next system call, which a spinning lane never makes.
#ifndef REFQUAKE_SCHED_WATCHDOG_H_
#define REFQUAKE_SCHED_WATCHDOG_H_

#include "sched/stuck.h"

namespace refquake::sched {

void StartWatchdog(int seconds, void (*on_hang)(const StuckReport& report));
// Starts the time anew. Costs an atomic increment; it reads no clock.
void ArmWatchdog();
void DisarmWatchdog();

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_WATCHDOG_H_
