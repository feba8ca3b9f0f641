#include "python/discover_types.h"

#include <dlfcn.h>

#include <algorithm>

#include "python/ref.h"

namespace refquake {
namespace {

// Types the interpreter itself makes and frees all the time: watching them would watch the harness.
bool IsEverywhere(PyTypeObject* type) {
  static const std::set<PyTypeObject*> types = {&PyType_Type,
                                                &PyBaseObject_Type,
                                                &PyLong_Type,
                                                &PyBool_Type,
                                                &PyFloat_Type,
                                                &PyUnicode_Type,
                                                &PyBytes_Type,
                                                &PyTuple_Type,
                                                &PyList_Type,
                                                &PyDict_Type,
                                                &PyModule_Type,
                                                &PyFunction_Type,
                                                &PyCode_Type,
                                                &PyCell_Type,
                                                &PyMethod_Type,
                                                &PyCFunction_Type,
                                                &PyCMethod_Type,
                                                &PyFrame_Type,
                                                &PyGetSetDescr_Type,
                                                &PyMemberDescr_Type,
                                                &PyMethodDescr_Type,
                                                &PyWrapperDescr_Type,
                                                &PyClassMethodDescr_Type,
                                                &PyTraceBack_Type,
                                                &PyCapsule_Type,
                                                &PyProperty_Type,
                                                &PyStaticMethod_Type,
                                                &PyClassMethod_Type,
                                                &PySuper_Type,
                                                Py_TYPE(Py_None),
                                                Py_TYPE(Py_Ellipsis),
                                                Py_TYPE(Py_NotImplemented)};
  return types.contains(type);
}

std::string_view WithoutUnderscores(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  return name;
}

std::string Lowered(std::string_view name) {
  std::string lowered(WithoutUnderscores(name));
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](unsigned char c) { return std::tolower(c); });
  return lowered;
}

// Text of an attribute; empty if there is none or it is no text.
std::string TextAttribute(PyObject* object, const char* name) {
  Ref value(PyObject_GetAttrString(object, name));
  const char* utf8 = value && PyUnicode_Check(value.get()) ? PyUnicode_AsUTF8(value.get()) : nullptr;
  PyErr_Clear();
  return utf8 ? utf8 : "";
}

std::string SharedObject(const void* address) {
  Dl_info info;
  return address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

}  // namespace

std::vector<std::string> SortedNames(PyObject* object) {
  std::vector<std::string> names;
  Ref listed(PyObject_Dir(object));
  if (!listed || !PyList_Check(listed.get())) {
    PyErr_Clear();
    return names;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(listed.get()); ++i) {
    PyObject* name = PyList_GET_ITEM(listed.get(), i);  // borrowed
    const char* utf8 = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (utf8) names.emplace_back(utf8);
    PyErr_Clear();
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool IsCType(PyTypeObject* type) {
  if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return true;
  // A class statement's type borrows its tp_name from its ht_name; C code brings a text of its own.
  PyObject* name = reinterpret_cast<PyHeapTypeObject*>(type)->ht_name;
  const char* utf8 = name ? PyUnicode_AsUTF8(name) : nullptr;
  PyErr_Clear();
  return utf8 != type->tp_name;
}

ModuleScope::ModuleScope(const std::string& name) {
  const size_t dot = name.find('.');
  root_ = Lowered(name.substr(0, dot));
  leaf_ = Lowered(name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1));
  PyObject* loaded = PyImport_GetModuleDict();  // borrowed
  std::vector<std::string> names;
  PyObject* key = nullptr;
  PyObject* module = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(loaded, &at, &key, &module);) {
    const char* utf8 = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr;
    if (utf8 && PyModule_Check(module)) names.emplace_back(utf8);
  }
  std::sort(names.begin(), names.end());
  modules_.push_back({PyDict_GetItemString(loaded, name.c_str()), ""});
  for (const std::string& other : names) {
    module = PyDict_GetItemString(loaded, other.c_str());
    const std::string file = TextAttribute(module, "__file__");
    const bool inside = other.starts_with(name + ".");
    const bool beside = other.starts_with('_') && other.find('.') == other.npos && Lowered(other) == leaf_;
    if (other != name && !inside && !beside) continue;
    if (file.ends_with(".so")) files_.insert(file);
    if (inside && file.ends_with(".so")) modules_.push_back({module, other.substr(name.size() + 1) + "."});
  }
}

bool ModuleScope::OwnsName(std::string_view module_name) const {
  return Lowered(module_name.substr(0, module_name.find('.'))) == root_;
}

bool ModuleScope::Owns(PyTypeObject* type) const {
  if (IsEverywhere(type) || !IsCType(type)) return false;
  if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException))) return false;
  if (PyType_IsSubtype(type, &PyType_Type)) return false;
  const std::string module = TextAttribute(reinterpret_cast<PyObject*>(type), "__module__");
  if (OwnsName(module)) return true;
  return files_.contains(SharedObject(reinterpret_cast<const void*>(type->tp_dealloc)));
}

bool ModuleScope::OwnsFunction(PyObject* function, PyObject* module) const {
  if (!PyCallable_Check(function) || PyType_Check(function) || PyModule_Check(function)) return false;
  if (!IsCType(Py_TYPE(function))) return false;  // an instance of a Python class
  if (PyCFunction_Check(function) && PyCFunction_GET_SELF(function) == module) return true;
  return OwnsName(TextAttribute(function, "__module__"));
}

}  // namespace refquake
