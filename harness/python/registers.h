// Whether the module registers its instances: keeps, in its heap, a pointer to each that lives without owning it.
//
//   NoteIfRegistered(target, made);   // of an instance just made, before any more references are taken
//   target.registers_instances
//
// pybind11 and nanobind do, to find the Python object of a C++ one. In such a module's heap a pointer tells nothing of
// who owns what: a leaked instance is registered too. What gives it away is an instance with one reference, the
// caller's, that the heap refers to all the same.
//
// Contract: called while the target is discovered. Each type is looked at once. What a trial makes never dies, so
// no pointer to a dead instance can be taken for one to it.
#ifndef REFQUAKE_PYTHON_REGISTERS_H_
#define REFQUAKE_PYTHON_REGISTERS_H_

#include <Python.h>

#include "python/target.h"

namespace refquake {

void NoteIfRegistered(Target& target, PyObject* made);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_REGISTERS_H_
