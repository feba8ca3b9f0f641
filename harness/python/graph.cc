#include "python/graph.h"

#include "python/baseline.h"
#include "python/interpreter.h"
#include "python/oracles/traverse_contract.h"

namespace refquake {
namespace {

struct VisitContext {
  ObjectGraph* graph;
  AddressMap<GraphNode>* nodes;
  std::vector<PyObject*>* pending;
  TraverseJudge judge;
};

struct CountContext {
  PyObject* object;
  int visits;
};

int CountVisit(PyObject* object, void* arg) {
  auto* context = static_cast<CountContext*>(arg);
  context->visits += object == context->object;
  return 0;
}

}  // namespace

int ObjectGraph::Visit(PyObject* object, void* arg) {
  auto* context = static_cast<VisitContext*>(arg);
  context->judge.Visited(object);
  GraphNode& node = (*context->nodes)[object];
  ++node.visits;
  if (!node.reached && context->graph->Follows(object)) {
    node.reached = true;
    context->pending->push_back(object);
  }
  return 0;
}

// Types, modules and code hold the interpreter together; following them would walk all of it.
bool ObjectGraph::Follows(PyObject* object) const {
  PyTypeObject* type = Py_TYPE(object);
  return PyObject_IS_GC(object) && !PyType_Check(object) && !PyModule_Check(object) && type != &PyFunction_Type &&
         type != &PyCode_Type;
}

void ObjectGraph::Reach(PyObject* object) {
  GraphNode& node = nodes_[object];
  if (node.reached || !Follows(object)) return;
  node.reached = true;
  pending_.push_back(object);
}

void ObjectGraph::Build(const SlotTable* slots, std::span<PyObject* const> living) {
  nodes_.Clear();
  pending_.clear();
  for (int i = 0; slots && i < kSlots; ++i) {
    if (PyObject* object = slots->Get(i)) {
      ++nodes_[object].slots;
      Reach(object);
    }
  }
  for (PyObject* object : living) Reach(object);
  while (!pending_.empty()) {
    PyObject* object = pending_.back();
    pending_.pop_back();
    PyTypeObject* type = Py_TYPE(object);
    if (!type->tp_traverse) continue;
    VisitContext context{this, &nodes_, &pending_, TraverseJudge(object)};
    type->tp_traverse(object, Visit, &context);
    if (const WatchedType* watched = target_.watch.Find(type)) context.judge.Finish(*watched);
  }
}

int ObjectGraph::Visits(PyObject* holder, PyObject* object) {
  CountContext context{object, 0};
  if (Py_TYPE(holder)->tp_traverse && PyObject_IS_GC(holder)) {
    Py_TYPE(holder)->tp_traverse(holder, CountVisit, &context);
  }
  return context.visits;
}

int ObjectGraph::VisitsFromElsewhere(PyObject* object) {
  struct Context {
    ObjectGraph* graph;
    PyObject* object;
    int visits;
  } context{this, object, 0};
  ShowBaseline(true);
  PyUnstable_GC_VisitObjects(
      [](PyObject* holder, void* arg) {
        auto* c = static_cast<Context*>(arg);
        const GraphNode* node = c->graph->nodes_.Find(holder);
        if (!node || !node->reached) c->visits += Visits(holder, c->object);
        return 1;
      },
      &context);
  ShowBaseline(false);
  return context.visits;
}

}  // namespace refquake
