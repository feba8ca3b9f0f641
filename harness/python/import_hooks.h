// Watches the calls of the module under test that no type slot shows: how it makes, tracks and frees
// instances by itself.
//
//   InstallImportHooks(target);    // once, after the type watch; nothing for a built-in module
//
// - PyObject_GC_Track: the instance is judged as it is handed over (oracles/tracking.h).
// - PyObject_New, PyObject_GC_New, PyObject_GC_NewVar: the birth is noted, and what is not yet set is filled with
//   kUnsetByte, which in an optimised build would hold what was there before. Legal: the memory is unset by contract.
// - PyObject_GC_Resize: an instance that moves dies at the old address and is born at the new one.
// - PyCriticalSection_Begin and its kin: yield points (lock_points.h).
// - PyObject_Free, PyObject_Del, PyMem_Free on a collectable instance: wrong-free.
//
// Contract: called by the one thread that runs, before any lane does.
#ifndef REFQUAKE_PYTHON_IMPORT_HOOKS_H_
#define REFQUAKE_PYTHON_IMPORT_HOOKS_H_

#include "python/target.h"

namespace refquake {

void InstallImportHooks(const Target& target);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_IMPORT_HOOKS_H_
