#include "python/held.h"

#include <algorithm>
#include <vector>

#include "python/address_map.h"
#include "python/baseline.h"
#include "python/free_threading.h"
#include "python/module_memory.h"

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

void HoldFromModule(ModuleMemory& memory, Place place, Made& made) {
  for (size_t i = 0; i < made.held.size(); ++i) {
    auto* object = static_cast<PyObject*>(const_cast<void*>(made.held.at(i).key));
    if (memory.Find(object) == place) made.Hold(object);
  }
}

// What modules keep in PyThreadState_GetDict().
void HoldFromThreads(Made& made) {
  PyThreadState* state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  for (; state; state = PyThreadState_Next(state)) {
    if (state->dict) made.Hold(state->dict);
  }
}

void Spread(Made& made) {
  while (!made.pending.empty()) {
    PyObject* object = made.pending.back();
    made.pending.pop_back();
    HoldReferences(object, made);
  }
}

}  // namespace

bool HeldFromOutside(const Target& target, ObjectGraph& graph, std::span<PyObject* const> living) {
  ModuleMemory memory(target);
  if (!kFreeThreaded) {
    return std::any_of(living.begin(), living.end(), [&](PyObject* object) {
      return graph.VisitsFromElsewhere(object) > 0 || memory.Find(object) != Place::kNowhere;
    });
  }
  Made made;
  Collect(made, living);
  HoldFromBaseline(made);
  HoldFromThreads(made);
  HoldFromModule(memory, Place::kData, made);
  Spread(made);
  const auto is_held = [&](PyObject* object) { return *made.held.Find(object); };
  if (std::any_of(living.begin(), living.end(), is_held)) return true;
  // The heap may refer to what it does not own: it answers for no more than what it leads to.
  HoldFromModule(memory, Place::kHeap, made);
  Spread(made);
  return std::all_of(living.begin(), living.end(), is_held);
}

}  // namespace refquake
