#include "python/held.h"

#include <algorithm>
#include <vector>

#include "python/address_map.h"
#include "python/baseline.h"
#include "python/free_threading.h"
#include "python/memory_state.h"

namespace refquake {
namespace {

// The objects that programs made, and which of them are held.
struct Made {
  AddressMap<bool> held;
  std::vector<PyObject*> pending;

  void Hold(PyObject* object) {
    bool* known = held.Find(object);
    if (!known || *known) return;
    *known = true;
    pending.push_back(object);
  }
};

int HoldVisited(PyObject* object, void* arg) {
  static_cast<Made*>(arg)->Hold(object);
  return 0;
}

void HoldReferences(PyObject* holder, Made& made) {
  if (PyObject_IS_GC(holder) && Py_TYPE(holder)->tp_traverse) Py_TYPE(holder)->tp_traverse(holder, HoldVisited, &made);
}

// With the baseline hidden, a walk over the heap sees what programs made.
void Collect(Made& made, std::span<PyObject* const> living) {
  for (PyObject* object : living) made.held[object] = false;
  PyUnstable_GC_VisitObjects(
      [](PyObject* object, void* arg) {
        static_cast<Made*>(arg)->held[object] = false;
        return 1;
      },
      &made);
}

void HoldFromBaseline(Made& made) {
  ShowBaseline(true);
  PyUnstable_GC_VisitObjects(
      [](PyObject* object, void* arg) {
        Made& known = *static_cast<Made*>(arg);
        if (!known.held.Find(object)) HoldReferences(object, known);
        return 1;
      },
      &made);
  ShowBaseline(false);
}

void HoldFromModule(PyObject* module, Made& made) {
  for (size_t i = 0; i < made.held.size(); ++i) {
    auto* object = static_cast<PyObject*>(const_cast<void*>(made.held.at(i).key));
    if (PointsTo(module, object)) made.Hold(object);
  }
}

}  // namespace

bool HeldFromOutside(const Target& target, ObjectGraph& graph, std::span<PyObject* const> living) {
  if (!kFreeThreaded) {
    return std::any_of(living.begin(), living.end(), [&](PyObject* object) {
      return graph.VisitsFromElsewhere(object) > 0 || PointsTo(target.module.get(), object);
    });
  }
  Made made;
  Collect(made, living);
  HoldFromBaseline(made);
  HoldFromModule(target.module.get(), made);
  while (!made.pending.empty()) {
    PyObject* object = made.pending.back();
    made.pending.pop_back();
    HoldReferences(object, made);
  }
  return std::any_of(living.begin(), living.end(), [&](PyObject* object) { return *made.held.Find(object); });
}

}  // namespace refquake
