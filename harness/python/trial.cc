#include "python/trial.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "python/blocked_time.h"
#include "python/registers.h"
#include "python/trial_guard.h"

namespace refquake {
namespace {

constexpr uint64_t kSeed = 1;
constexpr int kSamples = 200;               // combinations of two or three arguments
constexpr int kRefusals = 3;                // combinations refused for their number, after which no more is tried
constexpr int kMakerDepth = 4;              // an instance made from an instance made from ...
constexpr long kMaxMemory = 256l << 20;     // bytes: objects of a trial are never released
constexpr size_t kFewAttempts = 16;         // that a constructor or function gets once memory is short
constexpr uint32_t kCallsBetweenLooks = 8;  // at the memory: a single compressor may take 100 MB
constexpr size_t kResultTypes = 8;
constexpr double kLongWait = 0.5;  // seconds: a call that sleeps would hold up the programs too
// Longer than any iterable among the candidates; an iterator that gives more is taken to have no end.
constexpr int kEndless = 500;
// More candidates than this part (of 8) succeed: the argument is of any type.
constexpr size_t kAnything = 7;

long ResidentPages() {
  long size = 0;
  long resident = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident;
}

// CPython's and the binding libraries' own words for a wrong number of arguments.
bool IsAboutNumber(const char* text) {
  const char* words[] = {"takes no arguments",      "takes exactly",       "takes at least",
                         "takes at most",           "takes from",          "expected at least",
                         "expected at most",        "expected 1 argument", "expected 2 argument",
                         "expected 3 argument",     "expected exactly",    "missing required",
                         "missing 1 required",      "missing 2 required",  "takes 0 positional",
                         "takes 1 positional",      "takes 2 positional",  "takes 3 positional",
                         "no positional arguments", "takes one argument",  "takes not"};
  return std::any_of(std::begin(words), std::end(words), [&](const char* word) { return std::strstr(text, word); });
}

bool IsArgumentErrorSet() {
  return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_AttributeError);
}

// Clears the pending exception.
bool TakeIsAboutNumber() {
  PyObject* exception = PyErr_GetRaisedException();
  PyObject* text = exception ? PyObject_Str(exception) : nullptr;
  const char* utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
  const bool about = utf8 && IsAboutNumber(utf8);
  Py_XDECREF(text);
  Py_XDECREF(exception);
  PyErr_Clear();
  return about;
}

void AddOnce(std::vector<int>& numbers, int number) {
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
}

}  // namespace

Trial::Trial(Target& target, const DenyList& deny)
    : target_(target), deny_(deny), kept_(PyList_New(0)), memory_at_start_(ResidentPages()) {}

void Trial::Keep(PyObject* object) {
  if (!object) return;
  PyList_Append(kept_, object);
  Py_DECREF(object);
}

void Trial::UseValues() {
  candidates_.clear();
  for (size_t i = 0; i < target_.values.size(); ++i) candidates_.push_back({.value = static_cast<int>(i)});
  for (size_t i = 0; i < makers_.size(); ++i) {
    if (makers_[i].instance) candidates_.push_back({.type = static_cast<int>(i)});
  }
}

void Trial::AddMaker(int type, const Subject& subject, const std::vector<Candidate>& arguments, PyObject* instance) {
  const size_t index = static_cast<size_t>(type);
  if (makers_.size() <= index) makers_.resize(index + 1);
  if (makers_[index].instance) return;
  makers_[index] = {subject, arguments, instance};
  Py_XINCREF(subject.callable);
  candidates_.push_back({.type = type});
}

bool Trial::CanMake(int type) const {
  const size_t index = static_cast<size_t>(type);
  return index < makers_.size() && makers_[index].instance;
}

bool Trial::MayMakeMore() {
  static bool may = true;
  if (++calls_ % kCallsBetweenLooks == 0 && may)
    may = (ResidentPages() - memory_at_start_) * sysconf(_SC_PAGESIZE) < kMaxMemory;
  return may;
}

PyObject* Trial::Fresh(int type, int depth) {
  if (!CanMake(type)) return nullptr;
  const Maker maker = makers_[static_cast<size_t>(type)];
  if (depth >= kMakerDepth || !MayMakeMore() || !maker.subject.callable) return maker.instance;
  std::vector<PyObject*> args;
  if (maker.subject.self != kNoType) args.push_back(Fresh(maker.subject.self, depth + 1));
  for (const Candidate& argument : maker.arguments) args.push_back(Make(argument, depth + 1));
  if (std::find(args.begin(), args.end(), nullptr) != args.end()) return maker.instance;
  TrialGuard::Begin(Text(maker.subject, maker.arguments));
  PyObject* made = PyObject_Vectorcall(maker.subject.callable, args.data(), args.size(), nullptr);
  PyErr_Clear();
  Keep(made);
  TrialGuard::End();
  return made && Py_TYPE(made) == Py_TYPE(maker.instance) ? made : maker.instance;
}

PyObject* Trial::Make(const Candidate& candidate, int depth) {
  if (candidate.type != kNoType) return Fresh(candidate.type, depth);
  const ValueSource& source = target_.values[static_cast<size_t>(candidate.value)];
  PyObject* made = source.make(source.payload);
  PyErr_Clear();
  Keep(made);
  return made;
}

std::string Trial::Text(const Subject& subject, const std::vector<Candidate>& arguments) const {
  std::string text = subject.name + "(";
  for (const Candidate& argument : arguments) {
    if (text.back() != '(') text += ", ";
    text += argument.value >= 0 ? target_.table.values()[static_cast<size_t>(argument.value)].text
                                : "<" + target_.table.types()[static_cast<size_t>(argument.type)] + ">";
  }
  return text + ")";
}

std::vector<std::string> Trial::Texts(const std::vector<Candidate>& arguments) const {
  std::vector<std::string> texts;
  for (const Candidate& argument : arguments) {
    if (argument.value < 0) return {};
    texts.push_back(target_.table.values()[static_cast<size_t>(argument.value)].text);
  }
  return texts;
}

Trial::Outcome Trial::Attempt(const Subject& subject, PyObject* self, const std::vector<Candidate>& arguments,
                              PyObject** result) {
  std::vector<PyObject*> args;
  if (self) args.push_back(self);
  for (const Candidate& argument : arguments) {
    PyObject* made = Make(argument, 1);
    if (!made) return Outcome::kArgument;
    args.push_back(made);
  }
  const std::string text = Text(subject, arguments);
  if (deny_.DeniesCall(text)) return Outcome::kArgument;
  const double blocked = BlockedSeconds();
  TrialGuard::Begin(text);
  *result = PyObject_Vectorcall(subject.callable, args.data(), args.size(), nullptr);
  Outcome outcome = Outcome::kOk;
  if (*result) NoteIfRegistered(target_, *result);
  Keep(*result);
  if (!*result) {
    outcome = !IsArgumentErrorSet() ? Outcome::kOther : TakeIsAboutNumber() ? Outcome::kNumber : Outcome::kArgument;
  }
  PyErr_Clear();
  TrialGuard::End();
  if (BlockedSeconds() - blocked > kLongWait) return Outcome::kWaits;
  return outcome;
}

bool Trial::IsFilled(const Subject& maker, PyObject* object) {
  TrialGuard::Begin(maker.name + "(...), its truth");
  const bool filled = PyObject_IsTrue(object) == 1;
  PyErr_Clear();
  TrialGuard::End();
  return filled;
}

bool Trial::RunsOn(const Subject& maker, PyObject* iterable) {
  if (!Py_TYPE(iterable)->tp_iter && !PyIter_Check(iterable)) return false;
  TrialGuard::Begin(maker.name + "(...), iterated");
  PyObject* iterator = PyObject_GetIter(iterable);
  PyErr_Clear();
  Keep(iterator);
  int taken = 0;
  while (PyObject* item = iterator && taken < kEndless ? PyIter_Next(iterator) : nullptr) {
    Keep(item);
    ++taken;
  }
  PyErr_Clear();
  TrialGuard::End();
  return taken == kEndless;
}

void Trial::Note(const Subject& subject, const std::vector<Candidate>& arguments, Outcome outcome, PyObject* result,
                 Answer& answer) {
  if (outcome == Outcome::kOther) answer.accepted = true;
  if (outcome != Outcome::kOk) return;
  if (!answer.succeeded) answer.arguments = arguments;
  answer.accepted = answer.succeeded = true;
  if (answer.filled.empty() && !arguments.empty() && IsFilled(subject, result)) answer.filled = arguments;
  if (RunsOn(subject, result)) answer.endless = true;
  const bool known = std::any_of(answer.results.begin(), answer.results.end(),
                                 [&](PyObject* seen) { return Py_TYPE(seen) == Py_TYPE(result); });
  if (!known && answer.results.size() < kResultTypes) answer.results.push_back(result);
}

void Trial::Vary(const Subject& subject, Answer& answer) {
  answer.hints.resize(answer.arguments.size());
  for (size_t i = 0; i < answer.arguments.size(); ++i) {
    PyObject* self = Fresh(subject.self);
    ArgHint hint;
    size_t good = 0;
    for (const Candidate& candidate : candidates_) {
      if (subject.self == kNoType && !MayMakeMore()) break;
      std::vector<Candidate> arguments = answer.arguments;
      arguments[i] = candidate;
      PyObject* result = nullptr;
      const Outcome outcome = Attempt(subject, self, arguments, &result);
      if (outcome == Outcome::kWaits) {
        answer = {};
        return;
      }
      Note(subject, arguments, outcome, result, answer);
      if (outcome != Outcome::kOk) continue;
      ++good;
      if (candidate.value >= 0) AddOnce(hint.values, candidate.value);
      if (candidate.type != kNoType) AddOnce(hint.types, candidate.type);
    }
    // The combination that succeeded once counts, though a second try (on an emptied self) did not.
    const Candidate& first = answer.arguments[i];
    if (first.value >= 0) AddOnce(hint.values, first.value);
    if (first.type != kNoType) AddOnce(hint.types, first.type);
    if (good * 8 < candidates_.size() * kAnything) answer.hints[i] = std::move(hint);
  }
}

Trial::Answer Trial::Call(const Subject& subject, int nargs) {
  Answer answer;
  Rng rng(kSeed);
  const size_t choices = candidates_.size();
  const size_t attempts = nargs == 0 ? 1 : nargs == 1 ? choices : kSamples;
  PyObject* self = subject.self == kNoType ? nullptr : Fresh(subject.self);
  if (subject.self != kNoType && !self) return answer;
  int refusals = 0;
  for (size_t attempt = 0; attempt < attempts && !answer.succeeded; ++attempt) {
    if (subject.self == kNoType && attempt >= kFewAttempts && !MayMakeMore()) break;
    std::vector<Candidate> arguments;
    for (int i = 0; i < nargs; ++i) arguments.push_back(candidates_[nargs == 1 ? attempt : rng.Below(choices)]);
    PyObject* result = nullptr;
    const Outcome outcome = Attempt(subject, self, arguments, &result);
    if (outcome == Outcome::kWaits) return {};
    Note(subject, arguments, outcome, result, answer);
    if (outcome == Outcome::kNumber && ++refusals == kRefusals) break;
  }
  if (answer.succeeded) Vary(subject, answer);
  return answer;
}

Trial::Answer Trial::Set(const Subject& subject, PyObject* name) {
  Answer answer;
  PyObject* self = Fresh(subject.self);
  ArgHint hint;
  size_t good = 0;
  for (const Candidate& candidate : candidates_) {
    PyObject* value = Make(candidate, 1);
    if (!value) continue;
    const std::string text = Text(subject, {candidate});
    if (deny_.DeniesCall(text)) continue;
    TrialGuard::Begin(text);
    const bool set = PyObject_SetAttr(self, name, value) == 0;
    PyErr_Clear();
    TrialGuard::End();
    if (!set) continue;
    answer.accepted = answer.succeeded = true;
    ++good;
    if (candidate.value >= 0) AddOnce(hint.values, candidate.value);
    if (candidate.type != kNoType) AddOnce(hint.types, candidate.type);
  }
  if (good * 8 >= candidates_.size() * kAnything) hint = {};
  answer.hints = {std::move(hint)};
  return answer;
}

bool Trial::Delete(const Subject& subject, PyObject* name) {
  PyObject* self = Fresh(subject.self);
  TrialGuard::Begin(Text(subject, {}));
  const bool deleted = PyObject_DelAttr(self, name) == 0;
  PyErr_Clear();
  TrialGuard::End();
  return deleted;
}

}  // namespace refquake
