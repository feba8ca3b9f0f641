// Values that hold an instance of a discovered type: code trees, lookups and pickers of real modules want a mapping or
// a list of their own objects, which no single argument is.
//
//   AddHolders(target, module, "bitarray", {"2"});     // adds [bitarray(2)] and {"i": bitarray(2)}
//
// Contract: the instance is made afresh at each use, from the module's name of its type.
#ifndef REFQUAKE_PYTHON_DISCOVER_HOLDERS_H_
#define REFQUAKE_PYTHON_DISCOVER_HOLDERS_H_

#include <string>
#include <vector>

#include "python/target.h"

namespace refquake {

// `arguments` as programs write them. What the interpreter refuses is not added; no exception is left.
void AddHolders(Target& target, PyObject* module, const std::string& name, const std::vector<std::string>& arguments);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_HOLDERS_H_
