#include "sched/watchdog.h"

#include <pthread.h>
#include <signal.h>

#include "sched/asleep.h"
#include "sched/futex.h"
#include "sched/let_go.h"
#include "sched/module_threads.h"
#include "sched/run.h"
#include "sched/token.h"

namespace refquake::sched {
namespace {

constexpr int kLooksPerDeadline = 8;
constexpr int64_t kMostBetweenLooks = 100;  // milliseconds
constexpr int kLooksAsleep = 10;
// Of the deadline: who waits uses next to none of the processor, who computes all of it that a busy machine leaves.
constexpr int64_t kBusyShare = 20;

int64_t limit_milliseconds = 0;
void (*hang_handler)(const StuckReport&) = nullptr;
// Odd while armed. A new value is a new execution.
uint32_t epoch = 0;
uint32_t never_woken = 0;
StuckReport hang_report;

[[noreturn]] void Tell(StuckReport::Why why) {
  hang_report.why = why;
  CaptureStacks(&hang_report);
  hang_handler(hang_report);
  Die("the handler of a hang returned");
}

int64_t BetweenLooks() {
  const int64_t share = limit_milliseconds / kLooksPerDeadline + 1;
  return share < kMostBetweenLooks ? share : kMostBetweenLooks;
}

// Of lanes that run free, or of which none but the one with the token could go on.
class SleepWatch {
 public:
  void Forget() { looks_ = 0; }
  // True once all lanes have slept at so many looks in a row, and none of them has run since the first.
  bool SleepForGood() {
    const uint64_t run_before = run_;
    if (!LanesSleep(&run_) || (looks_ > 0 && run_ != run_before)) return Forget(), false;
    return ++looks_ >= kLooksAsleep && !ModuleThreadsRun();
  }

 private:
  int looks_ = 0;
  uint64_t run_ = 0;
};

void* Watch(void*) {
  uint32_t seen = Load(&epoch);
  int64_t since = RealMilliseconds();
  int64_t used = ProcessorMilliseconds();
  SleepWatch sleep;
  LetGoWatch let_go;
  for (;;) {
    FutexWaitFor(&never_woken, 0, BetweenLooks());
    uint32_t now = Load(&epoch);
    int64_t time = RealMilliseconds();
    if (now != seen || now % 2 == 0) {
      seen = now;
      since = time;
      used = ProcessorMilliseconds();
      sleep.Forget();
      let_go.Forget();
      continue;
    }
    DescribeRun(&hang_report);
    if (hang_report.stepped && OthersCanGoOn()) {
      sleep.Forget();
      let_go.Look();
    } else if (sleep.SleepForGood()) {
      Tell(StuckReport::Why::kDeadlock);
    }
    if (time - since < limit_milliseconds) continue;
    const bool busy = run.looks == 0 && ProcessorMilliseconds() - used > limit_milliseconds / kBusyShare;
    Tell(busy ? StuckReport::Why::kLongRun : StuckReport::Why::kHang);
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
