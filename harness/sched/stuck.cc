#include "sched/stuck.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "sched/futex.h"

// glibc's sigaction under a name that sanitizers do not intercept: ThreadSanitizer would hold the
// signal back until the lane's next system call, which a stuck lane may never make.
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* before);

namespace refquake::sched {
namespace {

constexpr int64_t kAnswerMilliseconds = 2000;

constexpr int kCaller = kMaxLanes;
int thread_id[kMaxLanes + 1];
thread_local int own_lane __attribute__((tls_model("initial-exec"))) = -1;
StuckReport* wanted = nullptr;
uint32_t answers = 0;

// The frames above the interrupted one are this file's own: they are left out.
_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* argument) {
  StuckLane* lane = static_cast<StuckLane*>(argument);
  int interrupted = 0;
  uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted);
  if (pc == 0 || lane->frames == StuckLane::kMaxFrames) return _URC_END_OF_STACK;
  // A return address is behind its call; the interrupted instruction itself is not.
  if (interrupted != 0 || lane->frames > 0) lane->frame[lane->frames++] = interrupted != 0 ? pc : pc - 1;
  return _URC_NO_REASON;
}

void CaptureOwn(int) {
  int saved = errno;
  if (own_lane >= 0 && wanted != nullptr) {
    _Unwind_Backtrace(AddFrame, own_lane == kCaller ? &wanted->caller : &wanted->lane[own_lane]);
    Increment(&answers);
    FutexWake(&answers, 1);
  }
  errno = saved;
}

void Await(uint32_t expected) {
  int64_t deadline = RealMilliseconds() + kAnswerMilliseconds;
  for (uint32_t seen = Load(&answers); seen < expected; seen = Load(&answers)) {
    int64_t left = deadline - RealMilliseconds();
    if (left <= 0) return;
    FutexWaitFor(&answers, seen, left);
  }
}

}  // namespace

int StackSignal() { return SIGRTMIN + 3; }

void RegisterLaneThread(int lane) {
  own_lane = lane;
  thread_id[lane] = static_cast<int>(syscall(SYS_gettid));
}

void RegisterCallerThread() { RegisterLaneThread(kCaller); }

int RegisteredLanes() {
  int lanes = 0;
  while (lanes < kMaxLanes && thread_id[lanes] != 0) ++lanes;
  return lanes;
}

int LaneThread(int lane) { return thread_id[lane]; }

int CallerThread() { return thread_id[kCaller]; }

void CaptureStacks(StuckReport* report) {
  struct sigaction action = {};
  action.sa_handler = CaptureOwn;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  wanted = report;
  Store(&answers, 0);
  __sigaction(StackSignal(), &action, nullptr);  // stays: an answer may come late
  uint32_t asked = 0;
  for (int lane = 0; lane <= kCaller; ++lane) {
    bool wanted_lane = lane < report->lanes || lane == kCaller;
    if (!wanted_lane || thread_id[lane] == 0) continue;
    syscall(SYS_tgkill, getpid(), thread_id[lane], StackSignal());
    Await(++asked);  // one at a time: the unwinder's locks stay uncontended
  }
  wanted = nullptr;
}

}  // namespace refquake::sched
