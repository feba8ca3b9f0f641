// The object graph as tp_traverse tells it: who is visited how often, seen from the slots and the
// living instances.
//
//   ObjectGraph graph(target);
//   graph.Build(slots, living);              // no lane runs
//   graph.nodes()[object].visits
//
// Contract: called with the thread state attached while no lane runs. Calls the types' own
// tp_traverse, which must not change anything; checks the traverse contract on the way
// (oracles/traverse_contract.h). Holds addresses, no references: valid until an op runs.
#ifndef REFQUAKE_PYTHON_GRAPH_H_
#define REFQUAKE_PYTHON_GRAPH_H_

#include <Python.h>

#include <span>
#include <vector>

#include "python/address_map.h"
#include "python/slots.h"
#include "python/target.h"

namespace refquake {

struct GraphNode {
  int32_t slots = 0;      // slots that hold the object
  int32_t visits = 0;     // visits made to it by all objects reached
  bool reached = false;   // its own references have been followed
};

class ObjectGraph {
 public:
  explicit ObjectGraph(const Target& target) : target_(target) {}

  // Starts from the objects in `slots` (may be null) and from `living`.
  void Build(const SlotTable* slots, std::span<PyObject* const> living);

  // How often `holder` visits `object`.
  static int Visits(PyObject* holder, PyObject* object);

  // Visits made to `object` by tracked objects that Build did not reach: the whole heap is walked,
  // the baseline included. Slow; for confirming a finding.
  int VisitsFromElsewhere(PyObject* object);

  AddressMap<GraphNode>& nodes() { return nodes_; }

 private:
  static int Visit(PyObject* object, void* arg);
  void Reach(PyObject* object);
  bool Follows(PyObject* object) const;

  const Target& target_;
  AddressMap<GraphNode> nodes_;
  std::vector<PyObject*> pending_;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_GRAPH_H_
