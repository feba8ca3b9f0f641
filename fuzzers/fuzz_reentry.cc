// One lane with values that fight back: they collect, empty slots and call back while an op runs.
#include "driver/fuzz_target.h"

REFQUAKE_FUZZ_TARGET("reentry");
