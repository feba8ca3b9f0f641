#include "python/trial_values.h"

namespace refquake {
namespace {

// Short iterables only: an op that consumes one must end soon. Numbers are small, or too large for any
// size: a length in between would be allocated.
constexpr const char* kExpressions[] = {
    "[1, 2, 3]",
    "[(1, 2), (3, 4)]",
    "{\"key\": 1}",
    "dict.fromkeys(\"abcdefghijklmnop\", 1)",  // more than a table or buffer has room for at first
    "{1, 2}",
    "iter([1, 2, 3])",
    "map(complex, range(3))",  // items that nobody else holds
    "range(3)",
    "\"\"",
    "\"i\"",
    "\"utf-8\"",
    "[\"a\", \"b\"]",
    "b\"\"",
    "bytearray(b\"bytes\")",
    "memoryview(b\"bytes\")",
    "True",
    "2",
    "slice(0, 2)",
    "len",
    "[].append",
    "int",
    "1j",
    "__import__(\"_io\").BytesIO(b\"bytes\")",
    "__import__(\"_io\").StringIO(\"text\")",
};

// Globals that hold nothing but the built-in names; owned for the life of the process.
PyObject* Globals() {
  static PyObject* globals = [] {
    PyObject* made = PyDict_New();
    if (made) PyDict_SetItemString(made, "__builtins__", PyEval_GetBuiltins());
    return made;
  }();
  return globals;
}

PyObject* Evaluate(PyObject* code) { return PyEval_EvalCode(code, Globals(), Globals()); }

}  // namespace

bool AddExpression(Target& target, const std::string& expression) {
  PyObject* code = Py_CompileString(expression.c_str(), "<refquake>", Py_eval_input);
  if (!code) return false;
  target.AddValue({.text = expression}, {Evaluate, code});
  return true;
}

bool AddTrialValues(Target& target) {
  for (const char* expression : kExpressions) {
    if (!AddExpression(target, expression)) return false;
  }
  return true;
}

}  // namespace refquake
