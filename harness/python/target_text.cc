#include "python/target_text.h"

namespace refquake {
namespace {

std::string FullName(PyTypeObject* type) {
  Ref name(PyType_GetFullyQualifiedName(type));
  const char* utf8 = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  return utf8 ? utf8 : type->tp_name;
}

}  // namespace

std::string DescribeTypes(const Target& target) {
  std::string text;
  for (size_t i = 1; i < target.types.size(); ++i) {  // 0 is the harness's own Value
    PyTypeObject* type = target.types[i];
    const auto field = [&](bool is, const char* word) { text += is ? std::string("\t") + word : "\t-"; };
    text += target.table.types()[i] + "\t" + FullName(type);
    text += PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) ? "\theap" : "\tstatic";
    field(PyType_IS_GC(type), "gc");
    field(type->tp_weaklistoffset != 0 || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_WEAKREF), "weakref");
    field(type->tp_dictoffset != 0 || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT), "dict");
    field(type->tp_traverse, "traverse");
    field(type->tp_clear, "clear");
    field(type->tp_finalize, "finalize");
    field(PyType_HasFeature(type, Py_TPFLAGS_BASETYPE), "subclass");
    text += "\n";
  }
  return text;
}

}  // namespace refquake
