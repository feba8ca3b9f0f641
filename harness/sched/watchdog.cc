#include "sched/watchdog.h"

#include <pthread.h>
#include <signal.h>

#include "sched/futex.h"
#include "sched/token.h"

namespace refquake::sched {
namespace {

constexpr int kLooksPerDeadline = 8;
// Of the deadline: who waits uses next to none of the processor, who computes all of it that a busy machine leaves.
constexpr int64_t kBusyShare = 20;

int64_t limit_milliseconds = 0;
void (*hang_handler)(const StuckReport&) = nullptr;
// Odd while armed. A new value is a new execution.
uint32_t epoch = 0;
uint32_t never_woken = 0;
StuckReport hang_report;

void* Watch(void*) {
  uint32_t seen = Load(&epoch);
  int64_t since = RealMilliseconds();
  int64_t used = ProcessorMilliseconds();
  for (;;) {
    FutexWaitFor(&never_woken, 0, limit_milliseconds / kLooksPerDeadline + 1);
    uint32_t now = Load(&epoch);
    int64_t time = RealMilliseconds();
    if (now != seen || now % 2 == 0) {
      seen = now;
      since = time;
      used = ProcessorMilliseconds();
    } else if (time - since >= limit_milliseconds) {
      DescribeRun(&hang_report);
      const bool busy = ProcessorMilliseconds() - used > limit_milliseconds / kBusyShare;
      hang_report.why = busy ? StuckReport::Why::kLongRun : StuckReport::Why::kHang;
      CaptureStacks(&hang_report);
      hang_handler(hang_report);
      Die("the handler of a hang returned");
    }
  }
}

}  // namespace

void StartWatchdog(int seconds, void (*on_hang)(const StuckReport& report)) {
  limit_milliseconds = int64_t{seconds} * 1000;
  hang_handler = on_hang;
  RegisterCallerThread();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, Watch, nullptr) != 0) Die("cannot create the watchdog's thread");
  pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ArmWatchdog() { __atomic_store_n(&epoch, (epoch | 1) + (epoch & 1) * 2, __ATOMIC_RELEASE); }

void DisarmWatchdog() { __atomic_store_n(&epoch, (epoch + 1) & ~1u, __ATOMIC_RELEASE); }

}  // namespace refquake::sched
