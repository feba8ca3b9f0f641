#include "sched/pool.h"

#include <signal.h>

#include "sched/futex.h"
#include "sched/stuck.h"

extern "C" {
void __tsan_acquire(void* address) __attribute__((weak));
void __tsan_release(void* address) __attribute__((weak));
}

namespace refquake::sched {
namespace {

// As an ordinary thread. Not more: ThreadSanitizer keeps 65,536 frames of a thread and faults beyond.
constexpr size_t kStackBytes = size_t{8} << 20;
// Some 50 to 100 microseconds: longer than a wake-up takes, short beside a time slice.
constexpr int kSpins = 2000;

void Acquire(char* edge) {
  if (__tsan_acquire) __tsan_acquire(edge);
}

void ReleaseEdge(char* edge) {
  if (__tsan_release) __tsan_release(edge);
}

// Waits until `word` is at least `value`: if it may, spins a while; then sleeps.
void WaitAtLeast(uint32_t* word, uint32_t value, bool spin) {
  for (int i = 0; spin && i < kSpins; ++i) {
    if (Load(word) >= value) return;
    CpuPause();
  }
  for (uint32_t seen = Load(word); seen < value; seen = Load(word)) FutexWait(word, seen);
}

// Faults and aborts stay: their handlers must run on the thread that caused them.
sigset_t AsynchronousSignals() {
  sigset_t set;
  sigfillset(&set);
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  for (int fault : kFaults) sigdelset(&set, fault);
  sigdelset(&set, StackSignal());
  return set;
}

uint32_t CountProcessors(cpu_set_t* allowed) {
  CPU_ZERO(allowed);
  if (sched_getaffinity(0, sizeof(*allowed), allowed) != 0) CPU_SET(0, allowed);
  return static_cast<uint32_t>(CPU_COUNT(allowed));
}

// Every stripes-th of the allowed processors: no two lanes that could run at once compete for one,
// while the kernel would wake a lane where its waker runs.
cpu_set_t Stripe(const cpu_set_t& allowed, int lane, int stripes) {
  cpu_set_t own;
  CPU_ZERO(&own);
  int index = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (index++ % stripes == lane % stripes) CPU_SET(cpu, &own);
  }
  return own;
}

}  // namespace

void Pool::Start(int workers, LaneFn fn, void* context) {
  if (workers_ != 0) Die("Pool::Start was called twice");
  if (workers < 1 || workers > kMaxLanes) Die("Pool::Start: the number of workers must be 1 to 8");
  lane_fn_ = fn;
  lane_context_ = context;
  processors_ = CountProcessors(&allowed_);
  workers_ = workers;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  sigset_t blocked = AsynchronousSignals(), before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  for (int lane = 0; lane < workers; ++lane) {
    worker_[lane].lane = lane;
    worker_[lane].pool = this;
    if (pthread_create(&worker_[lane].thread, &attributes, WorkerMain, &worker_[lane]) != 0) {
      Die("cannot create a worker thread: is the limit on processes or memory too low?");
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
}

Pool::~Pool() {
  mode_ = Mode::kStop;
  for (int lane = 0; lane < workers_; ++lane) {
    StartLane(lane);
    pthread_join(worker_[lane].thread, nullptr);
  }
}

void* Pool::WorkerMain(void* argument) {
  Worker* self = static_cast<Worker*>(argument);
  Pool* pool = self->pool;
  RegisterLaneThread(self->lane);
  for (uint32_t seen = 0;;) {
    uint32_t now = Load(&self->generation);
    if (now == seen) {
      FutexWait(&self->generation, seen);
      continue;
    }
    seen = now;
    if (pool->mode_ == Mode::kStop) return nullptr;
    pool->RunJob(self->lane);
  }
}

void Pool::RunJob(int lane) {
  if (mode_ == Mode::kFree) WaitForOthers();
  if (mode_ == Mode::kGated) gate_.enter(lane);
  Acquire(&begin_edge_);
  fn_(lane, context_);
  ReleaseEdge(&end_edge_);
  if (mode_ == Mode::kGated) gate_.leave(lane);
  // The caller may start the next job as soon as the count is full: nothing of this one is read after it.
  uint32_t lanes = lanes_;
  if (Increment(&done_) == lanes) FutexWake(&done_, 1);
}

void Pool::WaitForOthers() {
  uint32_t quorum = quorum_;
  if (Increment(&arrived_) == quorum) {
    FutexWake(&arrived_, kMaxLanes);
  } else {
    WaitAtLeast(&arrived_, quorum, /*spin=*/true);
  }
}

int Pool::Overlapping(int lanes) const {
  int processors = static_cast<int>(processors_);
  return lanes < processors ? lanes : processors;
}

void Pool::Prepare(Mode mode, int lanes, LaneFn fn, void* context) {
  if (lanes < 1 || lanes > workers_) Die("a run needs 1 lane at least and no more than there are workers");
  mode_ = mode;
  fn_ = fn;
  context_ = context;
  lanes_ = static_cast<uint32_t>(lanes);
  quorum_ = static_cast<uint32_t>(Overlapping(lanes));
  Store(&done_, 0);
  Store(&arrived_, 0);
  ReleaseEdge(&begin_edge_);
}

// Lanes that take turns belong on one processor: handing over to another one costs ten times as much.
// Where the kernel refuses, lanes overlap less often or take turns slower; nothing breaks.
void Pool::Place(int lanes, int processor) {
  for (int lane = 0; lane < lanes; ++lane) {
    Worker& worker = worker_[lane];
    if (worker.placed == processor) continue;
    worker.placed = processor;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (processor == kSpread) {
      set = Stripe(allowed_, lane, Overlapping(workers_));
    } else {
      CPU_SET(processor, &set);
    }
    pthread_setaffinity_np(worker.thread, sizeof(set), &set);
  }
}

void Pool::StartLane(int lane) {
  Increment(&worker_[lane].generation);
  FutexWake(&worker_[lane].generation, 1);
}

// A spinning caller takes a processor from the lanes: only where one is to spare.
void Pool::WaitDone(bool spin) {
  WaitAtLeast(&done_, lanes_, spin);
  Acquire(&end_edge_);
}

void Pool::RunFree(int lanes) {
  Prepare(Mode::kFree, lanes, lane_fn_, lane_context_);
  Place(lanes, kSpread);
  for (int lane = 0; lane < lanes; ++lane) StartLane(lane);
  WaitDone(lanes_ < processors_);
}

void Pool::RunOnEach(int lanes, LaneFn fn, void* context) {
  if (lanes > workers_) Die("a run needs no more lanes than there are workers");
  for (int lane = 0; lane < lanes; ++lane) {
    Prepare(Mode::kPlain, 1, fn, context);
    StartLane(lane);
    WaitDone(processors_ > 1);
  }
}

void Pool::RunGated(int lanes, const LaneGate& gate, int first) {
  Prepare(Mode::kGated, lanes, lane_fn_, lane_context_);
  gate_ = gate;
  Place(lanes, sched_getcpu());  // the caller sleeps meanwhile: its own is free
  StartLane(first);
  WaitDone(/*spin=*/false);
}

}  // namespace refquake::sched
