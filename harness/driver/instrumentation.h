// Is the code under test instrumented? A module built without the sanitizer hides its own bugs.
#ifndef REFQUAKE_DRIVER_INSTRUMENTATION_H_
#define REFQUAKE_DRIVER_INSTRUMENTATION_H_

#include <Python.h>

#include <optional>
#include <string>

namespace refquake {

// Looks for the sanitizer's and the coverage's symbols in the module's shared object. Returns an error
// text if the flavour's sanitizer is missing; missing coverage is only said. Modules linked into the
// interpreter are instrumented as it is.
std::optional<std::string> CheckInstrumented(PyObject* module);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_INSTRUMENTATION_H_
