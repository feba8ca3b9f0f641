#include "python/fights.h"

#include "python/fight_type.h"

namespace refquake {
namespace {

constexpr int kDeep = 100000;
constexpr int kShallow = 8;
// A deep chain costs as much as a thousand programs: only where a program asks for it early.
constexpr int kEarlyOps = 3;
constexpr size_t kMaxChains = 1;

bool g_deep_due = true;

PyTypeObject* g_type = nullptr;  // owned for the life of the process

PyObject* MakeFight(PyObject* payload) {
  const long code = PyLong_AsLong(payload);
  return NewFight(g_type, static_cast<Reaction>(code / 2), code % 2 != 0);
}

// payload: (type, attribute name). The head of the chain; null with an exception if a link fails.
PyObject* MakeChain(PyObject* payload) {
  PyObject* type = PyTuple_GET_ITEM(payload, 0);
  PyObject* name = PyTuple_GET_ITEM(payload, 1);
  const OpPlace& place = LaneLog::Mine().place;
  const bool deep = g_deep_due && place.phase == 0 && place.op < kEarlyOps;
  if (deep) g_deep_due = false;
  const int length = deep ? kDeep : kShallow;
  Ref head(PyObject_CallNoArgs(type));
  for (int i = 1; head && i < length; ++i) {
    Ref next(PyObject_CallNoArgs(type));
    if (!next || PyObject_SetAttr(next.get(), name, head.get()) < 0) return nullptr;
    head = std::move(next);
  }
  return head.release();
}

}  // namespace

bool AddFights(Target& target) {
  g_type = CreateFightType();
  if (!g_type) return false;
  const int type = target.AddType(g_type);
  for (const ReactionName& known : Reactions()) {
    const long code = static_cast<long>(known.reaction) * 2;
    const std::string name = known.name;
    if (known.reaction != Reaction::kResurrect) {
      target.AddValue({.text = "Fights(" + name + ")", .type = type, .provokes = true}, {MakeFight, PyLong_FromLong(code)});
    }
    target.AddValue({.text = "OnDel(" + name + ")", .type = type, .provokes = true}, {MakeFight, PyLong_FromLong(code + 1)});
  }
  return !PyErr_Occurred();
}

void AddChains(Target& target) {
  size_t added = 0;
  for (const OpSpec& op : target.table.ops()) {
    if (op.form != Form::kSet || op.owners.size() != 1 || added == kMaxChains) continue;
    const std::string& type = target.table.types()[static_cast<size_t>(op.owners[0])];
    if (target.table.FindValue(type + "()") < 0) continue;
    PyTypeObject* owner = target.types[static_cast<size_t>(op.owners[0])];
    if (!PyType_IS_GC(owner)) continue;
    target.AddValue({.text = "Chain(" + type + "." + op.name + ")", .type = op.owners[0]},
                    {MakeChain, Py_BuildValue("(Os)", owner, op.name.c_str())});
    ++added;
  }
}

void ResetChains() { g_deep_due = true; }

}  // namespace refquake
