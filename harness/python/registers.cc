#include "python/registers.h"

#include <algorithm>
#include <set>

#include "python/free_threading.h"
#include "python/module_memory.h"

namespace refquake {

void NoteIfRegistered(Target& target, PyObject* made) {
  static std::set<PyTypeObject*> looked_at;
  const auto& types = target.types;
  if (target.registers_instances || std::find(types.begin(), types.end(), Py_TYPE(made)) == types.end()) return;
  if (HeldReferences(made) != 1 || !looked_at.insert(Py_TYPE(made)).second) return;
  if (ModuleMemory(target).Find(made) == Place::kHeap) target.registers_instances = true;
}

}  // namespace refquake
