#include "python/discover.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "python/interpreter.h"
#include "python/trial.h"
#include "python/values.h"

namespace refquake {
namespace {

constexpr int kMaxTrialArgs = 3;

// Protocol methods worth calling by their names: each reaches one type slot. What tears a type down,
// replaces its dict or only repeats an attribute's own op is left out.
const std::set<std::string>& ProtocolMethods() {
  static const std::set<std::string> names = {
      "__abs__",     "__add__",      "__and__",      "__await__",   "__bool__",   "__bytes__",   "__call__",
      "__contains__", "__copy__",    "__deepcopy__", "__delitem__", "__divmod__", "__enter__",   "__eq__",
      "__exit__",    "__float__",    "__floordiv__", "__format__",  "__ge__",     "__getitem__", "__getstate__",
      "__gt__",      "__hash__",     "__iadd__",     "__iand__",    "__ilshift__", "__imul__",   "__index__",
      "__init__",    "__int__",      "__invert__",   "__ior__",     "__isub__",   "__iter__",    "__ixor__",
      "__le__",      "__len__",      "__length_hint__", "__lshift__", "__lt__",   "__matmul__",  "__missing__",
      "__mod__",     "__mul__",      "__ne__",       "__neg__",     "__next__",   "__or__",      "__pos__",
      "__pow__",     "__radd__",     "__reduce__",   "__repr__",    "__reversed__", "__rmul__",  "__rshift__",
      "__setitem__", "__setstate__", "__sizeof__",   "__str__",     "__sub__",    "__truediv__", "__xor__"};
  return names;
}

bool IsDunder(const std::string& name) {
  return name.size() > 4 && name.starts_with("__") && name.ends_with("__");
}

// Sorted names of dir(object), empty on error.
std::vector<std::string> SortedNames(PyObject* object) {
  std::vector<std::string> names;
  Ref listed(PyObject_Dir(object));
  if (!listed) {
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

class Discovery {
 public:
  Discovery(Target& target, std::string module_name) : target_(target), module_name_(std::move(module_name)) {}

  void Run() {
    trial_.AddCandidate(NewValue());
    const std::vector<std::string> names = SortedNames(target_.module.get());
    for (const std::string& name : names) {
      Ref object(PyObject_GetAttrString(target_.module.get(), name.c_str()));
      if (object && PyType_Check(object.get())) AddType(reinterpret_cast<PyTypeObject*>(object.get()), name);
      PyErr_Clear();
    }
    for (const std::string& name : names) {
      if (!name.starts_with("_")) AddFunction(name);
    }
    // Grows while it runs: what a method returns may be of a type not seen before.
    for (size_t i = 0; i < found_.size(); ++i) AddMembers(found_[i]);
    AddGeneric();
  }

 private:
  struct FoundType {
    PyTypeObject* type;   // borrowed: the target owns it
    int index;
    PyObject* instance;   // kept alive by the trial; null if none could be made
  };

  PyObject* NewValue() { return PyObject_CallNoArgs(reinterpret_cast<PyObject*>(target_.types[0])); }

  bool IsOurs(PyTypeObject* type) const {
    Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
    const char* name = module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
    PyErr_Clear();
    if (!name) return false;
    const std::string_view of_type(name);
    return of_type == module_name_ || of_type.starts_with(module_name_ + ".");
  }

  void AddType(PyTypeObject* type, const std::string& name) {
    if (!IsOurs(type) || PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException))) return;
    const int index = target_.AddType(type);
    if (index < 0 || Known(type)) return;
    found_.push_back({type, index, nullptr});
    AddConstructors(found_.back(), name);
  }

  bool Known(PyTypeObject* type) const {
    return std::any_of(found_.begin(), found_.end(), [&](const FoundType& found) { return found.type == type; });
  }

  void AddConstructors(FoundType& found, const std::string& name) {
    PyObject* type = reinterpret_cast<PyObject*>(found.type);
    for (int nargs = 0; nargs <= kMaxTrialArgs; ++nargs) {
      const Trial::Answer answer = trial_.Call(type, nargs);
      if (!answer.succeeded) continue;
      if (!found.instance) {
        found.instance = answer.result;
        trial_.AddCandidate(answer.result);
      }
      if (nargs == 0) AddInstanceValue(target_, found.index);
      target_.AddOp({.form = Form::kCall, .kind = OpKind::kCreate, .name = name, .nargs = static_cast<uint8_t>(nargs),
                     .has_result = true, .result_type = found.index, .weight = 4},
                    Py_NewRef(type));
    }
  }

  // A type first met as a result: it has no name in the module, so it has no constructor op.
  int NoteResult(PyObject* result) {
    if (!result) return kNoType;
    PyTypeObject* type = Py_TYPE(result);
    for (FoundType& found : found_) {
      if (found.type != type) continue;
      if (!found.instance) found.instance = result;
      return found.index;
    }
    if (type == target_.types[0]) return 0;
    if (!IsOurs(type)) return kNoType;
    const int index = target_.AddType(type);
    if (index < 0) return kNoType;
    found_.push_back({type, index, result});
    trial_.AddCandidate(result);
    return index;
  }

  void AddFunction(const std::string& name) {
    Ref function(PyObject_GetAttrString(target_.module.get(), name.c_str()));
    if (!function || !PyCFunction_Check(function.get())) {
      PyErr_Clear();
      return;
    }
    for (int nargs = 0; nargs <= kMaxTrialArgs; ++nargs) {
      const Trial::Answer answer = trial_.Call(function.get(), nargs);
      if (!answer.accepted) continue;
      target_.AddOp({.form = Form::kCall, .kind = OpKind::kCall, .name = name, .nargs = static_cast<uint8_t>(nargs),
                     .has_result = true, .result_type = NoteResult(answer.result), .weight = 3},
                    Py_NewRef(function.get()));
    }
  }

  void AddMembers(FoundType found) {
    PyObject* type = reinterpret_cast<PyObject*>(found.type);
    for (const std::string& name : SortedNames(type)) {
      if (IsDunder(name) && !ProtocolMethods().contains(name)) continue;
      Ref member(PyObject_GetAttrString(type, name.c_str()));
      Ref inherited(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyBaseObject_Type), name.c_str()));
      PyErr_Clear();
      if (!member || member.get() == inherited.get()) continue;
      PyTypeObject* kind = Py_TYPE(member.get());
      if (kind == &PyGetSetDescr_Type || kind == &PyMemberDescr_Type) {
        AddAttribute(found, name);
      } else if (PyCallable_Check(member.get()) && found.instance) {
        AddMethod(found, name, member.get());
      }
    }
    AddWeakReference(found);
  }

  void AddAttribute(const FoundType& found, const std::string& name) {
    PyObject* interned = PyUnicode_InternFromString(name.c_str());
    int result_type = kNoType;
    if (found.instance) {
      const bool settable = trial_.Set(found.instance, interned).succeeded;
      if (PyObject* value = PyObject_GetAttr(found.instance, interned)) result_type = NoteResult(value);
      PyErr_Clear();
      if (settable) {
        AddAttributeOp(Form::kSet, OpKind::kLink, found, name, 2, 6);
        if (trial_.Delete(found.instance, interned).succeeded) {
          AddAttributeOp(Form::kDelete, OpKind::kUnlink, found, name, 1, 2);
          trial_.Set(found.instance, interned);
        }
      }
    }
    AddAttributeOp(Form::kGet, OpKind::kRead, found, name, 1, 4, result_type);
    Py_DECREF(interned);
  }

  void AddAttributeOp(Form form, OpKind kind, const FoundType& found, const std::string& name, int nargs,
                      uint32_t weight, int result_type = kNoType) {
    target_.AddOp({.form = form, .kind = kind, .name = name, .nargs = static_cast<uint8_t>(nargs),
                   .has_result = form == Form::kGet, .owners = {found.index}, .result_type = result_type,
                   .weight = weight},
                  PyUnicode_InternFromString(name.c_str()));
  }

  void AddMethod(const FoundType& found, const std::string& name, PyObject* unbound) {
    // A static or class method is called without an instance before its arguments.
    PyObject* self = PyCFunction_Check(unbound) ? nullptr : found.instance;
    for (int nargs = 0; nargs <= kMaxTrialArgs; ++nargs) {
      const Trial::Answer answer = trial_.Call(unbound, nargs, self);
      if (!answer.accepted) continue;
      target_.AddOp({.form = Form::kMethod, .kind = OpKind::kCall, .name = name, .nargs = static_cast<uint8_t>(nargs + 1),
                     .has_result = true, .owners = {found.index}, .result_type = NoteResult(answer.result),
                     .weight = IsDunder(name) ? 1u : 4u},
                    PyUnicode_InternFromString(name.c_str()));
    }
  }

  void AddWeakReference(const FoundType& found) {
    if (found.type->tp_weaklistoffset == 0) return;
    // The built-in half of `weakref`: importing the other would add thousands of objects to each collection.
    Ref weakref(PyImport_ImportModule("_weakref"));
    PyObject* ref = weakref ? PyObject_GetAttrString(weakref.get(), "ref") : nullptr;
    PyErr_Clear();
    if (!ref) return;
    target_.AddOp({.form = Form::kCall, .kind = OpKind::kRead, .name = "weakref.ref", .nargs = 1, .has_result = true,
                   .owners = {found.index}, .weight = 2},
                  ref);
    target_.AddOp({.form = Form::kMethod, .kind = OpKind::kCall, .name = "__call__", .nargs = 1, .has_result = true},
                  PyUnicode_InternFromString("__call__"));
  }

  void AddGeneric() {
    Ref gc(PyImport_ImportModule("gc"));
    PyObject* collect = gc ? PyObject_GetAttrString(gc.get(), "collect") : nullptr;
    PyErr_Clear();
    if (collect) {
      target_.AddOp({.form = Form::kCall, .kind = OpKind::kCollect, .name = "gc.collect", .weight = 2}, collect);
    }
    target_.AddOp({.form = Form::kCopy, .kind = OpKind::kCopy, .nargs = 1, .has_result = true, .weight = 2}, nullptr);
    target_.AddOp({.form = Form::kDrop, .kind = OpKind::kDrop, .nargs = 1, .weight = 4}, nullptr);
  }

  Target& target_;
  std::string module_name_;
  Trial trial_;
  std::vector<FoundType> found_;
};

}  // namespace

std::optional<std::string> Discover(const std::string& module, Target& target) {
  target.table = OpTable(module);
  if (!AddBuiltinValues(target)) return "cannot make the built-in values: " + TakeExceptionText();
  target.module = Ref(PyImport_ImportModule(module.c_str()));
  if (!target.module) return "cannot import " + module + ": " + TakeExceptionText();
  Discovery(target, module).Run();
  PyErr_Clear();
  return std::nullopt;
}

}  // namespace refquake
