#include "python/op_runner.h"

#include <array>

#include "python/allocation_faults.h"
#include "python/oracles/call_contract.h"
#include "python/reentry.h"

namespace refquake {
namespace {

constexpr int kMaxFaults = 64;  // per op

}  // namespace

Outcome OpRunner::Run(const Op& op, SlotTable& slots, OpTrace& trace) {
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

PyObject* OpRunner::Perform(const Op& op, PyObject* const* args, SlotTable& slots, bool& failed) {
  const OpSpec& spec = target_.table.op(op.op);
  const OpPayload& payload = target_.payloads[op.op];
  if (options_.fail_allocations) return ExecuteWithFaults(op, args, failed);
  if (!options_.fights) return Execute(spec, payload, args, failed);
  struct Call {
    OpRunner* self;
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
            c->self->Run(c->op[1], *c->slots, untold);
          },
      .context = &call};
  RunningOp::Scope scope(running);
  return Execute(spec, payload, args, failed);
}

PyObject* OpRunner::ExecuteWithFaults(const Op& op, PyObject* const* args, bool& failed) {
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

PyObject* OpRunner::Execute(const OpSpec& spec, const OpPayload& payload, PyObject* const* args, bool& failed) {
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

}  // namespace refquake
