// CPython's reads of freed memory that are no use after free: its look-ups without a lock.
//
// In the free-threaded build a list, a dict or a cell hands out an item without its lock: it reads the pointer and
// tries to take a reference to an object that another thread may have freed since. Freed memory stays readable for
// as long as such a reader can be on its way, and its count cannot be raised, so the try fails and the look-up is done
// again. AddressSanitizer, which mimalloc and the quarantine tell what is freed, would call that a use after free.
//
// Contract: nothing to call. The asan flavour's interpreter is built to go on after a report
// (-fsanitize-recover=address, for itself alone), and the linker's --wrap brings its bad loads here first. Passed over
// are those of the functions that try and look again (`_Py_TryIncrefCompare` and its kin); any other is reported as
// ever, and ends the process. Which function loads, the symbolizer tells, mostly once for each place; where there is
// none, all are reported.
// Source: CPython, Include/internal/pycore_object.h (_Py_TryIncrefCompare), InternalDocs/qsbr.md.
#ifndef REFQUAKE_PYTHON_LOCK_FREE_READS_H_
#define REFQUAKE_PYTHON_LOCK_FREE_READS_H_

#include <string_view>

namespace refquake {

enum class Reader { kTries, kHelps, kOther };

// What the innermost function of a bad load, with those it is inlined into, is about: one that tries to take a
// reference, one that such a function calls (then its caller decides), or another. `functions` is what the symbolizer
// printed for one address: their names, innermost first, each with a zero behind it.
Reader ClassifyReader(std::string_view functions);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_LOCK_FREE_READS_H_
