#include "python/reentry.h"

#include <utility>

#include "python/interpreter.h"
#include "python/lane_log.h"
#include "python/ref.h"

namespace refquake {
namespace {

constexpr int kMaxDepth = 3;

constexpr ReactionName kReactions[] = {
    {"collect", Reaction::kCollect}, {"drop", Reaction::kDrop},   {"forget", Reaction::kForget},
    {"again", Reaction::kAgain},     {"clear", Reaction::kClear}, {"detach", Reaction::kDetach},
    {"read", Reaction::kRead},       {"next", Reaction::kNext},   {"resurrect", Reaction::kResurrect},
};

const RunningOp* g_running = nullptr;
int g_depth = 0;

// Not all items: an iterator need not end.
constexpr int kItemsRead = 16;

void Read(PyObject* object) {
  if (!object) return;
  Ref text(PyObject_Repr(object));
  PyErr_Clear();
  Ref iterator(PyObject_GetIter(object));
  for (int i = 0; iterator && i < kItemsRead; ++i) {
    Ref item(PyIter_Next(iterator.get()));
    if (!item) break;
  }
  PyErr_Clear();
}

void Do(Reaction reaction, const RunningOp& op, PyObject* value) {
  switch (reaction) {
    case Reaction::kCollect:
      return CollectNow();
    case Reaction::kDrop:
      for (int slot = 0; slot < kSlots; ++slot) op.slots->Put(slot, nullptr);
      return;
    case Reaction::kForget:
      if (op.self_slot >= 0) op.slots->Put(op.self_slot, nullptr);
      return;
    case Reaction::kAgain:
      return op.again(op.context);
    case Reaction::kNext:
      return op.next(op.context);
    case Reaction::kClear: {
      if (!op.self) return;
      Ref done(PyObject_CallMethod(op.self, "clear", nullptr));
      return PyErr_Clear();
    }
    case Reaction::kRead:
      return Read(op.self);
    case Reaction::kDetach: {
      PyThreadState* saved = PyEval_SaveThread();
      return PyEval_RestoreThread(saved);
    }
    case Reaction::kResurrect:
      return op.slots->Put(kSlots - 1, Py_NewRef(value));
  }
}

}  // namespace

std::span<const ReactionName> Reactions() { return kReactions; }

RunningOp::Scope::Scope(const RunningOp& op) : outer_(std::exchange(g_running, &op)) {}
RunningOp::Scope::~Scope() { g_running = outer_; }

void React(Reaction reaction, PyObject* value) {
  if (!g_running || g_depth == kMaxDepth) return;
  PyObject* pending = PyErr_GetRaisedException();
  ++LaneLog::Mine().disturbances;
  ++g_depth;
  Do(reaction, *g_running, value);
  --g_depth;
  PyErr_SetRaisedException(pending);
}

}  // namespace refquake
