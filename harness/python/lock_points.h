// Where the module under test takes or gives back a critical section, a stepped lane may be stopped.
//
//   RedirectImports(file, LockPoints());      // of the module: see import_hooks.cc
//
// A lock that nobody holds is taken without a system call, and two locked stretches may have no load or store of the
// module's between them: "is the index in range?" in one, the access in the next. That gap is where such a race lies.
//
// Contract: nothing happens but in a stepped lane. The lane stops before it takes the lock, and after it has given it.
// Source: CPython documentation, "Critical Section API".
#ifndef REFQUAKE_PYTHON_LOCK_POINTS_H_
#define REFQUAKE_PYTHON_LOCK_POINTS_H_

#include <span>

#include "python/elf_imports.h"

namespace refquake {

// Static storage; empty with the GIL.
std::span<const Redirection> LockPoints();

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_LOCK_POINTS_H_
