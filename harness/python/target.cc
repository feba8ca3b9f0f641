#include "python/target.h"

#include <algorithm>
#include <cstring>

#include "python/import_hooks.h"

namespace refquake {

void Target::AddOp(OpSpec spec, PyObject* payload) {
  const std::vector<int> owners = spec.owners;
  const int added = table.Add(std::move(spec));
  const size_t index = static_cast<size_t>(added);
  if (added < 0 || index < payloads.size()) {
    if (added < 0) return Py_XDECREF(payload);  // no name for a program text, or no room
    for (int owner : owners) payloads[index].owners.set(static_cast<size_t>(owner));
    Py_XDECREF(payload);
    return;
  }
  OpPayload entry;
  entry.object = payload;
  for (int owner : owners) entry.owners.set(static_cast<size_t>(owner));
  payloads.push_back(entry);
}

void Target::AddValue(ValueSpec spec, ValueSource source) {
  const int index = table.AddValue(std::move(spec));
  if (index == static_cast<int>(values.size())) values.push_back(source);
}

int Target::AddType(PyTypeObject* type) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == type) return static_cast<int>(i);
  }
  if (types.size() == kMaxWatchedTypes) return -1;
  Py_INCREF(type);
  types.push_back(type);
  const char* dot = std::strrchr(type->tp_name, '.');
  const std::string name = dot ? dot + 1 : type->tp_name;
  // Two modules may each have a type of that name; the table knows them apart.
  std::string unique = name;
  const auto known = [&] {
    return std::find(table.types().begin(), table.types().end(), unique) != table.types().end();
  };
  for (int number = 2; known(); ++number) unique = name + std::to_string(number);
  return table.AddType(unique);
}

void Target::WatchTypes() {
  for (PyTypeObject* type : types) watch.Add(type);  // the same order, so the same index
  InstallImportHooks(*this);
}

}  // namespace refquake
