// Ops that are not the module's: collecting, copying and dropping, weak references and views of its instances.
#ifndef REFQUAKE_PYTHON_DISCOVER_GENERIC_H_
#define REFQUAKE_PYTHON_DISCOVER_GENERIC_H_

#include <Python.h>

#include "python/target.h"

namespace refquake {

// All of these: thread state attached; what cannot be had is left out, with no exception set. `type_index` is the
// type's place in the target.
void AddWeakReferenceOps(Target& target, PyTypeObject* type, int type_index);  // none for a type without such
void AddBufferOp(Target& target, int type_index);
void AddGenericOps(Target& target);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_GENERIC_H_
