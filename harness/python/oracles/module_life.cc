#include "python/oracles/module_life.h"

#include <string>

#include "python/address_map.h"
#include "python/free_threading.h"
#include "python/interpreter.h"
#include "python/module_memory.h"
#include "python/oracles/legal_exceptions.h"
#include "python/trial_guard.h"

namespace refquake {
namespace {

constexpr int kCollections = 3;

using Types = AddressMap<bool>;

// A module shown by a new spec is executed by itself; null, and no exception, if it cannot be.
Ref SecondCopy(PyObject* module) {
  const PyModuleDef* def = PyModule_Check(module) ? PyModule_GetDef(module) : nullptr;
  PyErr_Clear();
  if (!def || !def->m_slots) return Ref();
  Ref imp(PyImport_ImportModule("_imp"));
  Ref spec(PyObject_GetAttrString(module, "__spec__"));
  Ref file(PyObject_GetAttrString(module, "__file__"));
  Ref copy;
  TrialGuard::BeginStep("executing a second copy of the module");
  if (imp && spec && file) copy = Ref(PyObject_CallMethod(imp.get(), "create_dynamic", "O", spec.get()));
  if (copy && copy.get() != module && PyModule_Check(copy.get())) {
    Ref done(PyObject_CallMethod(imp.get(), "exec_dynamic", "O", copy.get()));
    if (!done) copy = Ref();
  } else {
    copy = Ref();
  }
  TrialGuard::End();
  PyErr_Clear();
  return copy;
}

Types TypesAlive() {
  Types types;
  PyUnstable_GC_VisitObjects(
      [](PyObject* object, void* arg) {
        if (PyType_Check(object)) (*static_cast<Types*>(arg))[object] = true;
        return 1;
      },
      &types);
  return types;
}

// Of one of the target's names: what else the copy made the process import is not its own.
bool IsTargets(const Target& target, PyTypeObject* type) {
  for (PyTypeObject* known : target.types) {
    if (std::string_view(known->tp_name) == type->tp_name) return true;
  }
  return false;
}

}  // namespace

std::vector<Finding> JudgeModuleLife(const Target& target) {
  std::vector<Finding> leaked;
  if (kImmortalizes) return leaked;
  CollectNow();
  Types before = TypesAlive();
  if (!SecondCopy(target.module.get())) return leaked;
  for (int i = 0; i < kCollections; ++i) CollectNow();
  ModuleMemory memory(target);
  for (auto& entry : TypesAlive()) {
    auto* type = static_cast<PyTypeObject*>(const_cast<void*>(entry.key));
    if (before.Find(type) || !IsTargets(target, type) || memory.Find(type) == Place::kData) continue;
    if (IsLegal("leaked-type", type->tp_name)) continue;
    Finding finding;
    finding.kind = "leaked-type";
    finding.type = type->tp_name;
    finding.what = "a second copy of the module was dropped and collected, but its type lives";
    finding.expected = "no type of the copy after " + std::to_string(kCollections) + " collections";
    finding.found = std::to_string(Py_REFCNT(reinterpret_cast<PyObject*>(type))) + " references to it";
    finding.rule =
        "a module must visit and drop what its state holds, in m_traverse, m_clear and m_free (CPython "
        "documentation: Module Objects)";
    finding.hint = "check that m_traverse visits and m_clear drops the type, and that each Py_INCREF of it is matched";
    leaked.push_back(std::move(finding));
  }
  return leaked;
}

}  // namespace refquake
