// What to call on instances, and how: which dunder methods, and how many arguments a signature names.
#ifndef REFQUAKE_PYTHON_DISCOVER_MEMBERS_H_
#define REFQUAKE_PYTHON_DISCOVER_MEMBERS_H_

#include <Python.h>

#include <string>

namespace refquake {

bool IsDunder(const std::string& name);
// Protocol methods worth calling by their names: each reaches one type slot. What tears a type down, replaces
// its dict or only repeats an attribute's own op is left out.
bool IsProtocolMethod(const std::string& name);
// Whether a dunder name may be an attribute worth reading and assigning (`__wrapped__`). Not those that change what
// the instance is, or that each type has.
bool IsOwnAttribute(const std::string& name);

// How many positional arguments (self not counted) a callable takes; -1 for "no end".
struct Arity {
  int least = 0;
  int most = -1;
};
// From `__text_signature__`; the widest range where there is none.
Arity ArityOf(PyObject* callable);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_MEMBERS_H_
