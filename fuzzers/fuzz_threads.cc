// One to four lanes on shared objects. For data races and reference-count races.
#include "driver/fuzz_target.h"

REFQUAKE_FUZZ_TARGET("threads");
