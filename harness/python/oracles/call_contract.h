// Oracle "call contract": NULL with an exception, a value without.
//
// Holds: a call that fails returns NULL (or -1) and sets an exception; one that succeeds sets none.
// Reports: bad-return.
// Demanded by: CPython documentation, "Exception Handling" and "Error handling" of the tutorial on
// extending. CPython checks calls itself and turns the mistake into a SystemError (an ordinary build)
// or a fatal error (a debug build); attribute access it does not check.
// Legal exceptions: none.
#ifndef REFQUAKE_PYTHON_ORACLES_CALL_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_CALL_CONTRACT_H_

#include <Python.h>

#include "python/target.h"

namespace refquake {

// Judges one finished op; the thread state is attached. `failed`: it returned NULL or -1.
void JudgeCall(const Target& target, const Op& op, PyObject* self, bool failed);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_CALL_CONTRACT_H_
