#include "python/executor.h"

#include "python/fights.h"
#include "python/free_threading.h"
#include "python/heap_order.h"
#include "python/history.h"
#include "python/interpreter.h"
#include "python/module_memory.h"
#include "python/oracles/conservation.h"
#include "python/oracles/free_contract.h"
#include "python/oracles/module_life.h"
#include "python/oracles/survival.h"
#include "python/oracles/tracking.h"
#include "python/quarantine.h"
#include "python/report.h"
#include "python/thread_context.h"

namespace refquake {
namespace {

// A finalizer may resurrect once and what it holds may have finalizers too.
constexpr int kCollections = 3;
// Garbage of types that are not watched is collected every so many runs.
constexpr uint64_t kRunsBetweenCollections = 256;

struct StoppedWorld {
  StoppedWorld() { refquake_stop_world(state); }
  ~StoppedWorld() { refquake_start_world(state); }
  StoppedWorld(const StoppedWorld&) = delete;
  StoppedWorld& operator=(const StoppedWorld&) = delete;

  PyThreadState* state = PyThreadState_Get();
};

}  // namespace

Executor::Executor(Target& target, const ExecutorOptions& options)
    : target_(target),
      options_(options),
      ops_(target, {options.judge, options.fights, options.fail_allocations}),
      interpreter_(PyInterpreterState_Get()),
      graph_(target) {
  logs_.resize(static_cast<size_t>(options.max_lanes) + 1);
  for (LaneLog& log : logs_) {
    log.events.reserve(1024);
    log.trace.reserve(kMaxOps);
  }
  LaneLog::Bind(&logs_[0]);
  SetHistory(&target_.table, logs_);
  NoteElders();
  if (options.judge) load_findings_ = JudgeModuleLife(target_);
}

void Executor::JudgeLoad() {
  for (const Finding& finding : load_findings_) {
    if (!PassOver(finding)) Report(finding);
  }
}

void Executor::StartWorkers() {
  pool_.Start(options_.max_lanes, RunWorker, this);
  ModuleMemory::AskThreads(&pool_);
  PyThreadState* saved = PyEval_SaveThread();
  // mimalloc ties a thread state to the thread that made it, so each worker makes its own.
  pool_.RunOnEach(options_.max_lanes, MakeThreadState, this);
  PyEval_RestoreThread(saved);
}

void Executor::MakeThreadState(int lane, void* executor) {
  auto* self = static_cast<Executor*>(executor);
  LaneLog* log = &self->logs_[static_cast<size_t>(lane) + 1];
  log->alone = false;
  LaneLog::Bind(log);
  PyThreadState* state = PyThreadState_New(self->interpreter_);
  PyEval_RestoreThread(state);
  self->workers_[static_cast<size_t>(lane)].thread_state = PyEval_SaveThread();
}

RunResult Executor::Run(const Program& program) {
  for (LaneLog& log : logs_) {
    log.trace.clear();
    log.deallocs = 0;
  }
  lanes_ran_ = false;
  stepping_.Begin(program.schedule);
  if (stepping_.stepped()) OrderHeaps();
  ResetChains();
  for (size_t i = 0; i < program.phases.size(); ++i) {
    phase_ = static_cast<int16_t>(i);
    RunPhase(program.phases[i]);
    TakeEvents();
    if (options_.judge) JudgePhase();
  }
  Finish();
  RunResult result;
  for (const LaneLog& log : logs_) {
    for (const OpTrace& trace : log.trace) {
      result.ok += trace.outcome == Outcome::kOk;
      result.errors += trace.outcome == Outcome::kError;
      result.skipped += trace.outcome == Outcome::kSkipped;
    }
  }
  return result;
}

void Executor::RunPhase(const Phase& phase) {
  if (phase.lanes.size() == 1) {
    logs_[0].place = {phase_, 0, 0};
    RunLane(phase.lanes[0], slots_, logs_[0], /*stepped=*/false);
  } else {
    RunConcurrently(phase);
  }
}

void Executor::RunConcurrently(const Phase& phase) {
  const int lanes = static_cast<int>(phase.lanes.size());
  lanes_ran_ = true;
  size_t ops = 0;
  for (int i = 0; i < lanes; ++i) {
    Worker& worker = workers_[static_cast<size_t>(i)];
    worker.lane = &phase.lanes[static_cast<size_t>(i)];
    worker.slots.CopyFrom(slots_);
    ops += worker.lane->size();
    logs_[static_cast<size_t>(i) + 1].place = {phase_, static_cast<int16_t>(i), 0};
  }
  PyThreadState* saved = PyEval_SaveThread();
  stepping_.RunPhase(pool_, lanes, ops);
  PyEval_RestoreThread(saved);
  for (int i = 0; i < lanes; ++i) slots_.MergeFrom(workers_[static_cast<size_t>(i)].slots);
}

void Executor::RunWorker(int lane, void* executor) {
  auto* self = static_cast<Executor*>(executor);
  Worker& worker = self->workers_[static_cast<size_t>(lane)];
  PyEval_RestoreThread(worker.thread_state);
  self->RunLane(*worker.lane, worker.slots, self->logs_[static_cast<size_t>(lane) + 1], self->stepping_.stepped());
  ForgetContext(worker.thread_state);
  worker.thread_state = PyEval_SaveThread();
}

void Executor::RunLane(const Lane& lane, SlotTable& slots, LaneLog& log, bool stepped) {
  ops_.BeginLane(lane);
  PyThreadState* state = PyThreadState_Get();
  for (const Op& op : lane) {
    if (stepped) {
      // Detached, because a lane that stops here while attached would hold up stop-the-world.
      PyThreadState* saved = PyEval_SaveThread();
      sched::SchedOpBoundary();
      PyEval_RestoreThread(saved);
    }
    OpTrace& trace = log.trace.emplace_back();
    trace.place = log.place;
    trace.op = &op;
    trace.outcome = ops_.Run(op, slots, trace);
    ++log.place.op;
    if (!stepped) AnswerRequests(state);
  }
}

void Executor::TakeEvents() {
  for (LaneLog& log : logs_) {
    living_.Apply(log.events);
    log.events.clear();
  }
  living_.Settle();
}

void Executor::Drain() {
  // Two rounds: what dies in the first may be queued for a thread that has had its turn.
  for (int round = 0; round < 2; ++round) {
    DrainQueues();
    if (!lanes_ran_) continue;  // waking the workers takes longer than most programs
    PyThreadState* saved = PyEval_SaveThread();
    pool_.RunOnEach(pool_.workers(), DrainWorker, this);
    PyEval_RestoreThread(saved);
  }
  TakeEvents();
}

void Executor::DrainWorker(int lane, void* executor) {
  Worker& worker = static_cast<Executor*>(executor)->workers_[static_cast<size_t>(lane)];
  PyEval_RestoreThread(worker.thread_state);
  DrainQueues();
  worker.thread_state = PyEval_SaveThread();
}

void Executor::OrderHeaps() {
  const StoppedWorld stopped;
  Quarantine::Release();
  refquake_clear_free_lists(stopped.state);
  refquake_order_heap(stopped.state);
  for (int i = 0; i < pool_.workers(); ++i) refquake_order_heap(workers_[static_cast<size_t>(i)].thread_state);
}

void Executor::NoteElders() {
  PyUnstable_GC_VisitObjects(
      [](PyObject* object, void* arg) {
        auto* self = static_cast<Executor*>(arg);
        if (self->target_.watch.FindExact(Py_TYPE(object))) self->elders_[object] = true;
        return 1;
      },
      this);
}

void Executor::BuildGraph() {
  living_.List(instances_);
  graph_.Build(&slots_, instances_);
  for (auto& entry : graph_.nodes()) {
    auto* object = static_cast<PyObject*>(const_cast<void*>(entry.key));
    if (!target_.watch.FindExact(Py_TYPE(object)) || !PyObject_IS_GC(object) || !PyObject_GC_IsTracked(object))
      continue;
    if (!elders_.Find(object) && living_.Adopt(object)) instances_.push_back(object);
  }
}

void Executor::JudgePhase() {
  BuildGraph();
  JudgeTracked(target_, instances_);
  if (!Conserved(graph_, instances_, living_)) {
    Drain();
    BuildGraph();
    JudgeConservation(target_, graph_, instances_, living_, /*last=*/false);
  }
  if (options_.after_phase) options_.after_phase(graph_, instances_);
}

void Executor::Finish() {
  phase_ = -1;
  logs_[0].place = {phase_, 0, 0};
  slots_.Clear();
  ForgetContext(PyThreadState_Get());
  // What a thread left to settle would be settled at a moment of the next program: then no replay is exact.
  if (stepping_.stepped()) Drain();
  TakeEvents();
  const bool due = ++runs_ % kRunsBetweenCollections == 0;
  for (int i = 0; i < kCollections && (living_.AnyNew() || (due && i == 0)); ++i) {
    if (lanes_ran_) Drain();
    CollectNow();
    TakeEvents();
  }
  if (options_.judge && living_.AnyNew()) {
    living_.List(instances_);
    JudgeSurvival(target_, graph_, instances_, living_);
  }
  for (LaneLog& log : logs_) {
    if (options_.judge) JudgeUnfreed(target_, log);
  }
  // An object that two lanes dropped is in a free list twice: it shows here, and not in another program.
  if (lanes_ran_) refquake_clear_free_lists(StoppedWorld().state);
  living_.NextRun();
}

}  // namespace refquake
