// A bundled fuzz binary knows its module and its interpreter without flags: both lie beside it, and
// the folder may be moved.
//
//   DIR/fuzz_node_lifecycle            REFQUAKE_BUNDLED_MODULE("node") in its source
//   DIR/modules/node/node.so           put first on sys.path
//   DIR/python/lib/python3.14t/...     the standard library: --home of any binary that has it beside it
//
//   ApplyBundle(flags);                // before the defaults; flags that were given win
//
// Contract: a bundled binary runs where a service watches it, and keeps to what that service can read:
// programs are always stepped, so that a crash happens again; a finding ends in abort(), after its report and the
// line that names its input; the self-proof runs only when asked for.
#ifndef REFQUAKE_DRIVER_BUNDLE_H_
#define REFQUAKE_DRIVER_BUNDLE_H_

#include "driver/flags.h"

namespace refquake {

bool IsBundled();
void ApplyBundle(Flags& flags);

// Prints the line that libFuzzer prints of an input it has written, then aborts.
[[noreturn]] void AbortWithFinding(const char* artefact);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_BUNDLE_H_
