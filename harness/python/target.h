// A target: the module under test with everything found in it, ready to execute.
//
// Beside the op table's names (core/op_table.h) stand the objects that carry them out. Filled by
// discovery, read-only afterwards.
//
// Contract: owns references to the module, its types and the payloads for the life of the process.
#ifndef REFQUAKE_PYTHON_TARGET_H_
#define REFQUAKE_PYTHON_TARGET_H_

#include <Python.h>

#include <bitset>
#include <string>
#include <vector>

#include "core/op_table.h"
#include "python/ref.h"
#include "python/watch.h"

namespace refquake {

// Makes a fresh object for a value argument: a new reference, or null with an exception set.
using ValueMaker = PyObject* (*)(PyObject* payload);

struct ValueSource {
  ValueMaker make = nullptr;
  PyObject* payload = nullptr;  // owned; what make() is given: a type to call, a constant
};

// What the executor needs of an op beside its OpSpec.
struct OpPayload {
  PyObject* object = nullptr;  // owned: the callable, or the attribute's interned name
  std::bitset<kMaxWatchedTypes> owners;
};

struct Target {
  Ref module;
  OpTable table;
  TypeWatch watch;
  std::vector<PyTypeObject*> types;  // owned; index as in the op table and in the watch
  std::vector<OpPayload> payloads;   // index as in the op table
  std::vector<ValueSource> values;   // index as in the op table
  bool has_own_ops = false;          // some op is the module's own, not one that every target has
  bool registers_instances = false;  // its heap refers to instances that it does not own (registers.h)

  // Adds an op with its payload (the reference is stolen); a duplicate is dropped.
  void AddOp(OpSpec spec, PyObject* payload);
  void AddValue(ValueSpec spec, ValueSource source);
  // Adds a type to the op table; returns its index, or -1 if there is no room. The watch is installed
  // last (WatchTypes), so that what discovery tries is not judged.
  int AddType(PyTypeObject* type);
  void WatchTypes();
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_TARGET_H_
