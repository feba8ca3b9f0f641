// One lane; each op first runs with its allocations failing one by one. For error paths.
#include "driver/fuzz_target.h"

REFQUAKE_FUZZ_TARGET("nomem");
