#include "python/discover.h"

#include <algorithm>

#include "python/discover_deny.h"
#include "python/discover_generic.h"
#include "python/discover_holders.h"
#include "python/discover_members.h"
#include "python/discover_types.h"
#include "python/fights.h"
#include "python/interpreter.h"
#include "python/trial.h"
#include "python/trial_guard.h"
#include "python/trial_values.h"
#include "python/values.h"

namespace refquake {
namespace {

constexpr int kMaxTrialArgs = 3;
constexpr size_t kMaxHeldTypes = 12;  // each adds two values, which every trial then tries

class Discovery {
 public:
  Discovery(Target& target, const std::string& module, const DiscoverOptions& options)
      : target_(target), scope_(module), deny_(options.deny), trial_(target, deny_) {}

  // False, with an exception set: the expression gives no callable.
  bool AddExtraOp(const std::string& name, const std::string& expression) {
    Ref globals(PyDict_Copy(PyModule_GetDict(target_.module.get())));
    Ref code(Py_CompileString(expression.c_str(), "<op>", Py_eval_input));
    PyObject* callable = code && globals ? PyEval_EvalCode(code.get(), globals.get(), globals.get()) : nullptr;
    if (callable && !PyCallable_Check(callable)) PyErr_SetString(PyExc_TypeError, "it is not callable");
    if (PyErr_Occurred()) return false;
    extra_.emplace_back(name, callable);
    return true;
  }

  void Run() {
    const size_t ops_before = target_.table.ops().size();
    const Trial::Subject value{"Value", reinterpret_cast<PyObject*>(target_.types[0])};
    trial_.AddMaker(0, value, {}, trial_.Call(value, 0).results.at(0));
    trial_.UseValues();
    ForEachName([&](const std::string& name, PyObject* object, PyObject*) {
      if (PyType_Check(object)) AddType(reinterpret_cast<PyTypeObject*>(object), name);
    });
    AddHeldInstances();
    // Types whose constructors want instances of types made later, or what holds them, once more.
    for (size_t i = 0; i < found_.size(); ++i) {
      if (!trial_.CanMake(found_[i].index)) AddConstructors(i);
    }
    ForEachName([&](const std::string& name, PyObject* object, PyObject* module) {
      if (!name.starts_with("__") && scope_.OwnsFunction(object, module)) AddFunction(name, object);
    });
    for (auto& [name, callable] : extra_) AddFunction(name, callable, /*wanted=*/true);
    // Grows while it runs: what a method returns may be of a type not seen before.
    for (size_t i = 0; i < found_.size(); ++i) AddMembers(i);
    target_.has_own_ops = target_.table.ops().size() > ops_before;
    AddGenericOps(target_);
  }

 private:
  struct FoundType {
    PyTypeObject* type;  // borrowed: the target owns it
    int index;
    std::string name;                       // as programs write it; empty: it has no name in the module
    std::vector<Trial::Candidate> holding;  // constructor arguments that make an instance that holds something
  };

  template <typename Use>
  void ForEachName(Use use) {
    for (const ScopedModule& scoped : scope_.modules()) {
      for (const std::string& name : SortedNames(scoped.module)) {
        const std::string full = scoped.prefix + name;
        TrialGuard::BeginStep("getting " + full);  // a module may have a __getattr__ of its own
        Ref object(PyObject_GetAttrString(scoped.module, name.c_str()));
        PyErr_Clear();
        TrialGuard::End();
        if (object && !deny_.Denies(full)) use(full, object.get(), scoped.module);
      }
    }
  }

  const FoundType* Known(PyTypeObject* type) const {
    auto it = std::find_if(found_.begin(), found_.end(), [&](const FoundType& found) { return found.type == type; });
    return it == found_.end() ? nullptr : &*it;
  }

  void AddType(PyTypeObject* type, const std::string& name) {
    if (!scope_.Owns(type) || Known(type)) return;
    const int index = target_.AddType(type);
    if (index < 0) return;
    found_.push_back({type, index, OwnName(type, name), {}});
    AddConstructors(found_.size() - 1);
  }

  // Of several names in the module (`array`, `ArrayType`), the type's own.
  std::string OwnName(PyTypeObject* type, const std::string& name) const {
    const size_t dot = name.rfind('.');
    const std::string own =
        (dot == std::string::npos ? "" : name.substr(0, dot + 1)) + target_.table.types()[target_.types.size() - 1];
    for (const ScopedModule& scoped : scope_.modules()) {
      if (!own.starts_with(scoped.prefix)) continue;
      Ref object(PyObject_GetAttrString(scoped.module, own.c_str() + scoped.prefix.size()));
      PyErr_Clear();
      if (object.get() == reinterpret_cast<PyObject*>(type)) return own;
    }
    return name;
  }

  void AddConstructors(size_t at) {
    const FoundType found = found_[at];
    if (found.name.empty()) return;
    const Trial::Subject subject{found.name, reinterpret_cast<PyObject*>(found.type)};
    const Arity arity = ArityOf(subject.callable);
    for (int nargs = 0; nargs <= kMaxTrialArgs; ++nargs) {
      if (!Fits(arity, nargs)) continue;
      const Trial::Answer answer = trial_.Call(subject, nargs);
      // A constructor that gives something else (a factory in a type's clothes) is an ordinary call.
      if (!answer.succeeded || Py_TYPE(answer.results[0]) != found.type) continue;
      if (answer.endless) continue;
      trial_.AddMaker(found.index, subject, answer.arguments, answer.results[0]);
      if (nargs == 0) AddInstanceValue(target_, found.index);
      if (found_[at].holding.empty()) found_[at].holding = answer.filled;
      OpSpec spec{.form = Form::kCall,
                  .kind = OpKind::kCreate,
                  .name = found.name,
                  .nargs = static_cast<uint8_t>(nargs),
                  .has_result = true,
                  .result_type = found.index,
                  .weight = 4};
      spec.hints = answer.hints;
      target_.AddOp(std::move(spec), Py_NewRef(subject.callable));
    }
  }

  // A list and a mapping of each type's instances, for what asks for one.
  void AddHeldInstances() {
    size_t held = 0;
    for (size_t i = 0; i < found_.size() && held < kMaxHeldTypes; ++i) {
      const FoundType& found = found_[i];
      if (found.name.empty() || !trial_.CanMake(found.index)) continue;
      const std::vector<std::string> arguments = trial_.Texts(found.holding);
      if (arguments.size() != found.holding.size()) continue;  // it takes an instance
      AddHolders(target_, target_.module.get(), found.name, arguments);
      ++held;
    }
    trial_.UseValues();
  }

  static bool Fits(const Arity& arity, int nargs) {
    return nargs >= arity.least && (arity.most < 0 || nargs <= arity.most);
  }

  // The type of a call's results as the op table knows it. A type first met here has no name in the module, so it
  // has no constructor op: `subject` makes it.
  int NoteResults(const Trial::Subject& subject, const Trial::Answer& answer) {
    int type = answer.succeeded ? kOtherType : kNoType;
    for (PyObject* result : answer.results) {
      const int one = result == Py_None ? kNoType : NoteResult(subject, answer, result);
      if (answer.results.size() > 1 && one != kOtherType) {
        type = kNoType;
      } else if (one != kOtherType) {
        type = one;
      }
    }
    return type;
  }

  int NoteResult(const Trial::Subject& subject, const Trial::Answer& answer, PyObject* result) {
    PyTypeObject* type = Py_TYPE(result);
    if (type == target_.types[0]) return 0;
    if (!Known(type)) {
      if (!scope_.Owns(type)) return kOtherType;
      const int index = target_.AddType(type);
      if (index < 0) return kNoType;
      found_.push_back({type, index, "", {}});
    }
    const int index = Known(type)->index;
    if (!trial_.CanMake(index)) trial_.AddMaker(index, subject, answer.arguments, result);
    return index;
  }

  void AddFunction(const std::string& name, PyObject* function, bool wanted = false) {
    const Trial::Subject subject{name, function};
    const Arity arity = ArityOf(function);
    // Python code is not under test; it is called where it makes instances that nothing else makes.
    const bool python = PyFunction_Check(function) && !wanted;
    for (int nargs = 0; nargs <= kMaxTrialArgs; ++nargs) {
      if (!Fits(arity, nargs) || (python && (nargs == 0 || name.starts_with('_')))) continue;
      const size_t types_before = found_.size();
      const Trial::Answer answer = trial_.Call(subject, nargs);
      if (!answer.accepted || answer.endless) continue;
      const bool makes_unmade =
          answer.succeeded && std::any_of(answer.results.begin(), answer.results.end(), [&](PyObject* r) {
            const FoundType* known = Known(Py_TYPE(r));
            return known ? !trial_.CanMake(known->index) : scope_.Owns(Py_TYPE(r));
          });
      if (python && !makes_unmade) continue;
      const int result = NoteResults(subject, answer);
      const bool creates = result >= 0 && (makes_unmade || found_.size() > types_before);
      OpSpec spec{.form = Form::kCall,
                  .kind = creates ? OpKind::kCreate : OpKind::kCall,
                  .name = name,
                  .nargs = static_cast<uint8_t>(nargs),
                  .has_result = true,
                  .result_type = result,
                  .weight = answer.succeeded ? 3u : 1u};
      spec.hints = answer.hints;
      target_.AddOp(std::move(spec), Py_NewRef(function));
    }
  }

  void AddMembers(size_t at) {
    const FoundType found = found_[at];
    PyObject* type = reinterpret_cast<PyObject*>(found.type);
    for (const std::string& name : SortedNames(type)) {
      const bool unusual = IsDunder(name) && !IsProtocolMethod(name);
      if (unusual && !IsOwnAttribute(name)) continue;
      if (deny_.Denies(ShownName(found) + "." + name)) continue;
      Ref member(PyObject_GetAttrString(type, name.c_str()));
      Ref inherited(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyBaseObject_Type), name.c_str()));
      PyErr_Clear();
      if (!member || member.get() == inherited.get()) continue;
      PyTypeObject* kind = Py_TYPE(member.get());
      if (kind == &PyGetSetDescr_Type || kind == &PyMemberDescr_Type || kind == &PyProperty_Type) {
        AddAttribute(found, name);
      } else if (!unusual && PyCallable_Check(member.get()) && !PyType_Check(member.get()) &&
                 trial_.CanMake(found.index)) {
        AddMethod(found, name, member.get());
      }
    }
    if (found.type->tp_dictoffset != 0 || PyType_HasFeature(found.type, Py_TPFLAGS_MANAGED_DICT)) {
      AddAttribute(found, "attribute");
    }
    AddWeakReferenceOps(target_, found.type, found.index);
    if (trial_.CanMake(found.index) && PyObject_CheckBuffer(trial_.Fresh(found.index))) {
      AddBufferOp(target_, found.index);
    }
  }

  const std::string& ShownName(const FoundType& found) const {
    return target_.table.types()[static_cast<size_t>(found.index)];
  }

  void AddAttribute(const FoundType& found, const std::string& name) {
    PyObject* interned = PyUnicode_InternFromString(name.c_str());
    const Trial::Subject subject{ShownName(found) + "." + name + " = ", nullptr, found.index};
    int result_type = kNoType;
    if (trial_.CanMake(found.index)) {
      const Trial::Answer answer = trial_.Set(subject, interned);
      PyObject* self = trial_.Fresh(found.index);
      TrialGuard::Begin(ShownName(found) + "." + name);
      PyObject* value = PyObject_GetAttr(self, interned);
      trial_.Keep(value);
      PyErr_Clear();
      TrialGuard::End();
      // A type met here: a trial can pass that instance, but not make another.
      if (value && scope_.Owns(Py_TYPE(value))) result_type = NoteResult({}, {}, value);
      if (answer.succeeded) {
        AddAttributeOp(Form::kSet, OpKind::kLink, found, name, 6, kNoType, {{}, answer.hints[0]});
        if (trial_.Delete(subject, interned)) AddAttributeOp(Form::kDelete, OpKind::kUnlink, found, name, 2);
      }
    }
    AddAttributeOp(Form::kGet, OpKind::kRead, found, name, 4, result_type);
    Py_DECREF(interned);
  }

  void AddAttributeOp(Form form, OpKind kind, const FoundType& found, const std::string& name, uint32_t weight,
                      int result_type = kNoType, std::vector<ArgHint> hints = {}) {
    OpSpec spec{.form = form,
                .kind = kind,
                .name = name,
                .nargs = static_cast<uint8_t>(form == Form::kSet ? 2 : 1),
                .has_result = form == Form::kGet,
                .owners = {found.index},
                .result_type = result_type,
                .weight = weight};
    spec.hints = std::move(hints);
    target_.AddOp(std::move(spec), PyUnicode_InternFromString(name.c_str()));
  }

  void AddMethod(const FoundType& found, const std::string& name, PyObject* unbound) {
    // A static or class method is called without an instance before its arguments.
    const bool bound = PyCFunction_Check(unbound) || PyMethod_Check(unbound);
    const Trial::Subject subject{ShownName(found) + "." + name, unbound, bound ? kNoType : found.index};
    const Arity arity = ArityOf(unbound);
    for (int nargs = 0; nargs <= kMaxTrialArgs; ++nargs) {
      if (!Fits(arity, nargs)) continue;
      const Trial::Answer answer = trial_.Call(subject, nargs);
      if (!answer.accepted || answer.endless) continue;
      OpSpec spec{.form = Form::kMethod,
                  .kind = OpKind::kCall,
                  .name = name,
                  .nargs = static_cast<uint8_t>(nargs + 1),
                  .has_result = true,
                  .owners = {found.index},
                  .result_type = NoteResults(subject, answer),
                  .weight = answer.succeeded ? (IsDunder(name) ? 2u : 4u) : 1u};
      spec.hints = {{}};
      spec.hints.insert(spec.hints.end(), answer.hints.begin(), answer.hints.end());
      target_.AddOp(std::move(spec), PyUnicode_InternFromString(name.c_str()));
    }
  }

  Target& target_;
  ModuleScope scope_;
  DenyList deny_;
  Trial trial_;
  std::vector<FoundType> found_;
  std::vector<std::pair<std::string, PyObject*>> extra_;  // owned for the life of the process
};

// Deprecation warnings of what trials call would fill the terminal, and cost.
void SilenceWarnings() {
  Ref warnings(PyImport_ImportModule("_warnings"));
  PyObject* filters = warnings ? PyObject_GetAttrString(warnings.get(), "filters") : nullptr;
  Ref entry(Py_BuildValue("(sOOOi)", "ignore", Py_None, PyExc_Warning, Py_None, 0));
  if (filters && entry && PyList_Check(filters)) PyList_Insert(filters, 0, entry.get());
  Py_XDECREF(filters);
  PyErr_Clear();
}

// Returns what is wrong with the expression, or the empty string. It is tried once: one that raises each time would
// never be passed.
std::string AddExtraValue(Target& target, const std::string& expression) {
  if (!AddExpression(target, expression)) return TakeExceptionText();
  const int index = target.table.FindValue(expression);
  if (index < 0) return "cannot stand as an argument in a program's text, or there are too many values";
  const ValueSource& source = target.values[static_cast<size_t>(index)];
  TrialGuard::BeginStep("value '" + expression + "'");
  Ref made(source.make(source.payload));
  TrialGuard::End();
  return made ? "" : TakeExceptionText();
}

}  // namespace

std::optional<DiscoverError> Discover(const std::string& module, const DiscoverOptions& options, Target& target) {
  target.table = OpTable(module);
  if (!AddBuiltinValues(target) || !AddTrialValues(target)) {
    return DiscoverError{"cannot make the built-in values: " + TakeExceptionText()};
  }
  for (const std::string& expression : options.values) {
    const std::string error = AddExtraValue(target, expression);
    if (!error.empty()) return DiscoverError{"value '" + expression + "': " + error, /*wrong_use=*/true};
  }
  if (options.fights && !AddFights(target)) {
    return DiscoverError{"cannot make the fighting values: " + TakeExceptionText()};
  }
  SilenceWarnings();
  TrialGuard::BeginStep("import " + module);
  Ref imported(PyImport_ImportModule(module.c_str()));  // of a dotted name: the module itself
  TrialGuard::End();
  if (!imported) return DiscoverError{"cannot import " + module + ": " + TakeExceptionText()};
  if (!PyModule_Check(imported.get())) {
    return DiscoverError{"importing " + module + " gives no module but " + Py_TYPE(imported.get())->tp_name};
  }
  target.module = std::move(imported);
  Discovery discovery(target, module, options);
  for (const std::string& op : options.ops) {
    const size_t equals = op.find('=');
    TrialGuard::BeginStep("op '" + op + "'");
    const bool added = equals != std::string::npos && discovery.AddExtraOp(op.substr(0, equals), op.substr(equals + 1));
    TrialGuard::End();
    if (added) continue;
    const std::string error = PyErr_Occurred() ? TakeExceptionText() : "expected NAME=EXPRESSION";
    return DiscoverError{"op '" + op + "': " + error, /*wrong_use=*/true};
  }
  discovery.Run();
  PyErr_Clear();
  if (options.fights) AddChains(target);
  return std::nullopt;
}

}  // namespace refquake
