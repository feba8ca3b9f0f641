#include "python/oracles/conservation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "python/free_threading.h"
#include "python/history.h"
#include "python/module_memory.h"
#include "python/oracles/legal_exceptions.h"
#include "python/report.h"

namespace refquake {
namespace {

// What a holder says of one object, and what it does: the two must be equal.
struct Holding {
  PyObject* holder = nullptr;
  int visits = 0;        // by tp_traverse
  Py_ssize_t drops = 0;  // by tp_clear
};

// Empties one instance after another and compares how many references to `object` each drops with how
// many times it visited it. Everything in the graph is held by spare references meanwhile, so nothing
// dies and drops more. The process ends after this: the program's objects are no longer what they were.
std::vector<Holding> ClearAndCount(PyObject* object, ObjectGraph& graph, std::span<PyObject* const> living) {
  for (auto& entry : graph.nodes()) Py_INCREF(static_cast<PyObject*>(const_cast<void*>(entry.key)));
  std::vector<Holding> holdings;
  for (PyObject* instance : living) {
    Holding holding{instance, ObjectGraph::Visits(instance, object), 0};
    const inquiry clear = Py_TYPE(instance)->tp_clear;
    if (!clear) continue;
    const Py_ssize_t before = HeldReferences(object);
    clear(instance);
    PyErr_Clear();
    holding.drops = before - HeldReferences(object);
    holdings.push_back(holding);
  }
  return holdings;
}

Finding Describe(const WatchedType& watched, PyObject* object, const GraphNode& node, Py_ssize_t held) {
  Finding finding;
  finding.type = watched.name;
  finding.expected = std::to_string(node.slots + node.visits) + " references (" + std::to_string(node.slots) +
                     " from slots, " + std::to_string(node.visits) + " from visits)";
  finding.found = std::to_string(held);
  finding.history = HistoryOf(object);
  return finding;
}

// The member that links the holder to the object is known by the op that last linked the two.
void BlameHolder(const Target& target, Finding& finding, PyObject* holder, PyObject* object) {
  if (const WatchedType* watched = target.watch.Find(Py_TYPE(holder))) finding.type = watched->name;
  finding.member = LinkBetween(holder, object);
}

[[noreturn]] void ReportTooMany(const Target& target, Finding finding, PyObject* object, ObjectGraph& graph,
                                std::span<PyObject* const> living) {
  for (const Holding& holding : ClearAndCount(object, graph, living)) {
    if (holding.drops <= holding.visits) continue;
    BlameHolder(target, finding, holding.holder, object);
    finding.kind = "missed-visit";
    finding.what = "tp_clear drops " + std::to_string(holding.drops) +
                   " references to an object that tp_traverse visits " + std::to_string(holding.visits) + " times";
    finding.rule =
        "tp_traverse must call Py_VISIT on every object the instance owns, or cycles through it are never "
        "collected (CPython documentation: tp_traverse)";
    finding.hint = "add a Py_VISIT for the member to tp_traverse";
    Report(std::move(finding));
  }
  finding.kind = "leaked-reference";
  finding.what = "an instance has references that nobody holds";
  finding.rule = "every new reference must be stored, returned or dropped (CPython documentation: Reference Counting)";
  finding.hint = "look for a Py_INCREF, or a call returning a new reference, without its Py_DECREF on the ops listed";
  finding.member = LastCallOn(object);
  Report(std::move(finding));
}

[[noreturn]] void ReportTooFew(const Target& target, Finding finding, PyObject* object, ObjectGraph& graph,
                               std::span<PyObject* const> living) {
  // Lend what is missing, so that the holders can drop all they believe to own.
  for (int i = 0; i < 1000; ++i) Py_INCREF(object);
  for (const Holding& holding : ClearAndCount(object, graph, living)) {
    if (holding.visits <= holding.drops) continue;
    BlameHolder(target, finding, holding.holder, object);
    finding.kind = "extra-visit";
    finding.what = "tp_traverse visits an object " + std::to_string(holding.visits) +
                   " times of which tp_clear drops " + std::to_string(holding.drops) + " references";
    finding.rule =
        "tp_traverse must visit each owned reference exactly once: the collector subtracts one per visit, and "
        "a live object looks dead (CPython documentation: tp_traverse)";
    finding.hint = "remove the second Py_VISIT, or visit only what the instance owns";
    Report(std::move(finding));
  }
  finding.kind = "missing-incref";
  finding.what = "an instance has fewer references than its holders own";
  finding.rule = "who stores a borrowed reference must take one of its own (CPython documentation: Reference Counting)";
  finding.hint = "look for a store without Py_INCREF, or a Py_DECREF of a borrowed reference, on the ops listed";
  finding.member = LastCallOn(object);
  Report(std::move(finding));
}

// A living instance that holds others without showing them: its type is not collectable.
bool HidesReferences(std::span<PyObject* const> living, const PyObject* except) {
  return std::any_of(living.begin(), living.end(),
                     [&](PyObject* object) { return object != except && !PyObject_IS_GC(object); });
}

bool AddsUp(PyObject* object, const GraphNode& node, Living& books) {
  if (IsImmortal(object)) return true;
  const Py_ssize_t surplus = HeldReferences(object) - node.slots - node.visits;
  return surplus == 0 || (surplus > 0 && surplus == books.Accepted(object));
}

}  // namespace

bool Conserved(ObjectGraph& graph, std::span<PyObject* const> living, Living& books) {
  return std::all_of(living.begin(), living.end(),
                     [&](PyObject* object) { return AddsUp(object, graph.nodes()[object], books); });
}

void JudgeConservation(const Target& target, ObjectGraph& graph, std::span<PyObject* const> living, Living& books,
                       bool last) {
  ModuleMemory memory(target);
  for (PyObject* object : living) {
    GraphNode node = graph.nodes()[object];
    if (AddsUp(object, node, books)) continue;
    const Py_ssize_t held = HeldReferences(object);
    const WatchedType* watched = target.watch.Find(Py_TYPE(object));
    if (!watched) continue;
    if (held > node.slots + node.visits) {
      // An object that cannot be part of a cycle need not be visited: only when all is dropped can a count be wrong.
      if (!last && !PyObject_IS_GC(object)) continue;
      if (IsLegal("leaked-reference", watched->name)) continue;
      if (!last && HidesReferences(living, object)) continue;
      if (memory.Find(object) != Place::kNowhere) continue;
      const int elsewhere = graph.VisitsFromElsewhere(object);
      if (held == node.slots + node.visits + elsewhere) {
        books.Accept(object, elsewhere);
        continue;
      }
      node.visits += elsewhere;
    }
    Finding finding = Describe(*watched, object, node, held);
    if (held > node.slots + node.visits) ReportTooMany(target, std::move(finding), object, graph, living);
    ReportTooFew(target, std::move(finding), object, graph, living);
  }
}

}  // namespace refquake
