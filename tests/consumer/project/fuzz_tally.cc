#include "driver/fuzz_target.h"

REFQUAKE_FUZZ_TARGET("threads");
