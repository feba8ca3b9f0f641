// Which types and functions belong to the module under test.
//
//   ModuleScope scope("multidict");
//   scope.modules()            // the module, then its extension submodules, in the order of their names
//   scope.Owns(type)           // made by C code of this module (not by a class statement)
//
// A package of Python code re-exports the types of an extension inside it, or beside it with an underscore
// (`json` and `_json`); the types' own idea of their module is often another. So a type belongs to the module
// by its `__module__`, or by the shared object its tp_dealloc lies in.
//
// Contract: made after the import; borrowed references, kept alive by sys.modules.
#ifndef REFQUAKE_PYTHON_DISCOVER_TYPES_H_
#define REFQUAKE_PYTHON_DISCOVER_TYPES_H_

#include <Python.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace refquake {

// Sorted names of dir(object), empty on error.
std::vector<std::string> SortedNames(PyObject* object);

// True for a type made by C code, false for one made by a class statement.
bool IsCType(PyTypeObject* type);

struct ScopedModule {
  PyObject* module = nullptr;
  std::string prefix;  // what stands before its names in programs: "" or "_multidict."
};

class ModuleScope {
 public:
  explicit ModuleScope(const std::string& name);

  const std::vector<ScopedModule>& modules() const { return modules_; }
  bool Owns(PyTypeObject* type) const;
  bool OwnsFunction(PyObject* function, PyObject* module) const;

 private:
  bool OwnsName(std::string_view module_name) const;

  std::string root_;
  std::string leaf_;
  std::vector<ScopedModule> modules_;
  std::set<std::string> files_;  // shared objects of the modules
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_TYPES_H_
