// SlotTable and ObjectGraph, in a child each: one interpreter per process.
#include "python/graph.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "python/interpreter.h"
#include "python/slots.h"

namespace refquake {
namespace {

constexpr int kAllHeld = 0;

void StartOrLeave() {
  if (StartInterpreter({.home = REFQUAKE_DEFAULT_HOME})) _exit(3);
}

// Leaves the child with the number of the first expectation that did not hold.
[[noreturn]] void Leave(std::initializer_list<bool> expectations) {
  int number = 0;
  for (const bool holds : expectations) {
    ++number;
    if (!holds) _exit(number);
  }
  _exit(kAllHeld);
}

[[noreturn]] void MergeLanes() {
  StartOrLeave();
  PyObject* first = PyList_New(0);
  PyObject* second = PyList_New(0);
  SlotTable slots, low, high;
  slots.Put(0, Py_NewRef(first));
  low.CopyFrom(slots);
  high.CopyFrom(slots);
  low.Put(1, Py_NewRef(first));
  high.Put(1, Py_NewRef(second));
  low.Put(0, nullptr);
  slots.MergeFrom(low);
  slots.MergeFrom(high);
  Leave({slots.Get(1) == second, slots.Get(0) == nullptr, low.Get(1) == nullptr, Py_REFCNT(first) == 1,
         Py_REFCNT(second) == 2});
}

[[noreturn]] void CountSlotsAndVisits() {
  StartOrLeave();
  Target target;
  PyObject* inner = PyList_New(0);
  PyObject* outer = PyList_New(0);
  PyList_Append(outer, inner);
  PyList_Append(outer, inner);
  SlotTable slots;
  slots.Put(0, outer);
  slots.Put(1, inner);
  ObjectGraph graph(target);
  graph.Build(&slots, {});
  const GraphNode& node = graph.nodes()[inner];
  Leave({node.slots == 1, node.visits == 2, graph.nodes()[outer].slots == 1, graph.nodes()[outer].visits == 0,
         ObjectGraph::Visits(outer, inner) == 2});
}

TEST(SlotTableTest, MergesTheHighestLaneLast) { EXPECT_EXIT(MergeLanes(), testing::ExitedWithCode(kAllHeld), ""); }

TEST(ObjectGraphTest, CountsSlotsAndVisits) {
  EXPECT_EXIT(CountSlotsAndVisits(), testing::ExitedWithCode(kAllHeld), "");
}

}  // namespace
}  // namespace refquake
