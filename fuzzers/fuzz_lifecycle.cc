// One lane: create, link, unlink, drop, collect. For lifetime bugs that need no second thread.
#include "driver/fuzz_target.h"

REFQUAKE_FUZZ_TARGET("lifecycle");
