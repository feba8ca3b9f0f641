#include "python/executor.h"

#include "python/allocation_faults.h"
#include "python/fights.h"
#include "python/free_threading.h"
#include "python/heap_order.h"
#include "python/history.h"
#include "python/interpreter.h"
#include "python/oracles/call_contract.h"
#include "python/oracles/conservation.h"
#include "python/oracles/free_contract.h"
#include "python/oracles/module_life.h"
#include "python/oracles/survival.h"
#include "python/oracles/tracking.h"
#include "python/quarantine.h"
#include "python/reentry.h"
#include "python/report.h"
#include "python/thread_context.h"

namespace refquake {
namespace {

// A finalizer may resurrect once and what it holds may have finalizers too.
constexpr int kCollections = 3;
// Garbage of types that are not watched is collected every so many runs.
constexpr uint64_t kRunsBetweenCollections = 256;
constexpr int kMaxFaults = 64;  // per op

struct StoppedWorld {
  StoppedWorld() { refquake_stop_world(state); }
  ~StoppedWorld() { refquake_start_world(state); }
  StoppedWorld(const StoppedWorld&) = delete;
  StoppedWorld& operator=(const StoppedWorld&) = delete;

  PyThreadState* state = PyThreadState_Get();
};

}  // namespace

Executor::Executor(Target& target, const ExecutorOptions& options)
    : target_(target), options_(options), interpreter_(PyInterpreterState_Get()), graph_(target) {
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
  if (options_.fights) fighting_lane_ = &lane;  // written by the only lane
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
    trace.outcome = RunOp(op, slots, trace);
    ++log.place.op;
    if (!stepped) AnswerRequests(state);
  }
}

Outcome Executor::RunOp(const Op& op, SlotTable& slots, OpTrace& trace) {
  const OpSpec& spec = target_.table.op(op.op);
  const OpPayload& payload = target_.payloads[op.op];
  std::array<PyObject*, kMaxArgs + 1> stack{};  // one free place before the arguments, for vectorcall
  PyObject** args = stack.data() + 1;
  std::array<PyObject*, kMaxArgs> made{};  // owned values
  Outcome outcome = Outcome::kSkipped;
  size_t ready = 0;
  for (; ready < spec.nargs; ++ready) {
    const Arg arg = op.args[ready];
    if (arg.is_slot()) {
      args[ready] = slots.Get(arg.slot());
      if (options_.fights) made[ready] = Py_XNewRef(args[ready]);  // a value may empty the slot
    } else {
      const ValueSource& source = target_.values[static_cast<size_t>(arg.value())];
      args[ready] = made[ready] = source.make(source.payload);
      if (!args[ready]) PyErr_Clear();
    }
    if (!args[ready]) break;
    trace.args[ready] = args[ready];
  }
  bool fits = ready == spec.nargs;
  if (fits && payload.owners.any()) {
    const WatchedType* self_type = target_.watch.Find(Py_TYPE(args[0]));
    fits = self_type && payload.owners.test(static_cast<size_t>(self_type->index));
  }
  if (fits && spec.form == Form::kDrop) {
    if (op.args[0].is_slot()) slots.Put(op.args[0].slot(), nullptr);
    outcome = Outcome::kOk;
  } else if (fits) {
    bool failed = false;
    PyObject* result = Perform(op, args, slots, failed);
    if (options_.judge) JudgeCall(target_, op, spec.nargs ? args[0] : nullptr, failed);
    if (failed) PyErr_Clear();
    outcome = failed ? Outcome::kError : Outcome::kOk;
    trace.result = result;
    if (result && op.dst != kNoSlot) {
      slots.Put(op.dst, result);
    } else {
      Py_XDECREF(result);
    }
  }
  for (PyObject* value : made) Py_XDECREF(value);
  return outcome;
}

PyObject* Executor::Perform(const Op& op, PyObject* const* args, SlotTable& slots, bool& failed) {
  const OpSpec& spec = target_.table.op(op.op);
  const OpPayload& payload = target_.payloads[op.op];
  if (options_.fail_allocations) return ExecuteWithFaults(op, args, failed);
  if (!options_.fights) return Execute(spec, payload, args, failed);
  struct Call {
    Executor* self;
    const Op* op;
    PyObject* const* args;
    SlotTable* slots;
  } call{this, &op, args, &slots};
  const RunningOp running{
      .slots = &slots,
      .self_slot = spec.nargs > 0 && op.args[0].is_slot() ? op.args[0].slot() : -1,
      .self = spec.nargs > 0 ? args[0] : nullptr,
      .again =
          [](void* context) {
            auto* c = static_cast<Call*>(context);
            const Target& target = c->self->target_;
            bool ignored = false;
            Py_XDECREF(c->self->Execute(target.table.op(c->op->op), target.payloads[c->op->op], c->args, ignored));
            PyErr_Clear();
          },
      .next =
          [](void* context) {
            auto* c = static_cast<Call*>(context);
            if (c->op == &c->self->fighting_lane_->back()) return;
            OpTrace untold;  // the history tells of it when its turn comes
            c->self->RunOp(c->op[1], *c->slots, untold);
          },
      .context = &call};
  RunningOp::Scope scope(running);
  return Execute(spec, payload, args, failed);
}

PyObject* Executor::ExecuteWithFaults(const Op& op, PyObject* const* args, bool& failed) {
  const OpSpec& spec = target_.table.op(op.op);
  const OpPayload& payload = target_.payloads[op.op];
  for (int nth = 1; nth <= kMaxFaults; ++nth) {
    for (const FaultScope::Mode mode : {FaultScope::kOnwards, FaultScope::kOnce}) {
      PyObject* result = nullptr;
      bool hit = false;
      {
        FaultScope fault(nth, mode);
        result = Execute(spec, payload, args, failed);
        hit = fault.hit();
      }
      // Done, or refused for another reason: once is enough.
      if (!hit || !failed) return result;
      if (options_.judge) JudgeCall(target_, op, spec.nargs ? args[0] : nullptr, failed);
      PyErr_Clear();
      failed = false;
    }
  }
  return Execute(spec, payload, args, failed);
}

PyObject* Executor::Execute(const OpSpec& spec, const OpPayload& payload, PyObject* const* args, bool& failed) {
  const size_t count = spec.nargs | PY_VECTORCALL_ARGUMENTS_OFFSET;
  PyObject* result = nullptr;
  if (spec.kind == OpKind::kCollect) ++LaneLog::Mine().disturbances;
  switch (spec.form) {
    case Form::kCall:
      result = PyObject_Vectorcall(payload.object, args, count, nullptr);
      break;
    case Form::kMethod:
      result = PyObject_VectorcallMethod(payload.object, args, count, nullptr);
      break;
    case Form::kGet:
      result = PyObject_GetAttr(args[0], payload.object);
      break;
    case Form::kSet:
      failed = PyObject_SetAttr(args[0], payload.object, args[1]) < 0;
      return nullptr;
    case Form::kDelete:
      failed = PyObject_DelAttr(args[0], payload.object) < 0;
      return nullptr;
    case Form::kCopy:
      return Py_NewRef(args[0]);
    case Form::kDrop:
      return nullptr;
  }
  failed = result == nullptr;
  return result;
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
