#include "python/discover_holders.h"

#include "python/ref.h"

namespace refquake {
namespace {

PyObject* Call(PyObject* payload) { return PyObject_CallNoArgs(payload); }

// Of the module's names only the one that is used: a copy of all would hold what the module lets go of.
Ref GlobalsFor(PyObject* module, const std::string& name) {
  const std::string root = name.substr(0, name.find('.'));
  Ref object(PyObject_GetAttrString(module, root.c_str()));
  Ref globals(object ? PyDict_New() : nullptr);
  if (!globals || PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins()) < 0 ||
      PyDict_SetItemString(globals.get(), root.c_str(), object.get()) < 0) {
    return {};
  }
  return globals;
}

}  // namespace

void AddHolders(Target& target, PyObject* module, const std::string& name, const std::vector<std::string>& arguments) {
  std::string made = name + "(";
  for (const std::string& argument : arguments) made += (made.back() == '(' ? "" : ", ") + argument;
  made += ")";
  Ref globals = GlobalsFor(module, name);
  for (const std::string& text : {"[" + made + "]", "{\"i\": " + made + "}"}) {
    Ref code(globals ? Py_CompileString(("lambda: " + text).c_str(), "<refquake>", Py_eval_input) : nullptr);
    PyObject* make = code ? PyEval_EvalCode(code.get(), globals.get(), globals.get()) : nullptr;
    if (make) target.AddValue({.text = text}, {Call, make});
  }
  PyErr_Clear();
}

}  // namespace refquake
