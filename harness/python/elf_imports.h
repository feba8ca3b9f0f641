// Replaces functions that a loaded extension imports, in that extension only.
//
//   RedirectImports("/path/node.so", {{"PyObject_GC_Track", MyTrack}});
//
// Calls are redirected; an address in the extension's static data (a slot of a type) is not. Nothing happens for a
// module that is part of the program.
#ifndef REFQUAKE_PYTHON_ELF_IMPORTS_H_
#define REFQUAKE_PYTHON_ELF_IMPORTS_H_

#include <span>
#include <string>

namespace refquake {

struct Redirection {
  const char* symbol;
  void* to;
};

// Returns how many imports were redirected.
int RedirectImports(const std::string& file, std::span<const Redirection> redirections);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ELF_IMPORTS_H_
