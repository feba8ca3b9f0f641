// Yield points inside the code under test: clang calls these before each load and store of code built
// with -fsanitize-coverage=trace-loads,trace-stores. Extensions find them in the binary that loads them.
#include "sched/lane.h"
#include "sched/token.h"

using refquake::sched::IsManaged;
using refquake::sched::Kind;
using refquake::sched::YieldPoint;

#define REFQUAKE_YIELD_AT(function, kind)                                                        \
  void function(void*) {                                                                         \
    if (IsManaged()) YieldPoint(kind, reinterpret_cast<uintptr_t>(__builtin_return_address(0))); \
  }

extern "C" {

REFQUAKE_YIELD_AT(__sanitizer_cov_load1, Kind::kLoad)
REFQUAKE_YIELD_AT(__sanitizer_cov_load2, Kind::kLoad)
REFQUAKE_YIELD_AT(__sanitizer_cov_load4, Kind::kLoad)
REFQUAKE_YIELD_AT(__sanitizer_cov_load8, Kind::kLoad)
REFQUAKE_YIELD_AT(__sanitizer_cov_load16, Kind::kLoad)
REFQUAKE_YIELD_AT(__sanitizer_cov_store1, Kind::kStore)
REFQUAKE_YIELD_AT(__sanitizer_cov_store2, Kind::kStore)
REFQUAKE_YIELD_AT(__sanitizer_cov_store4, Kind::kStore)
REFQUAKE_YIELD_AT(__sanitizer_cov_store8, Kind::kStore)
REFQUAKE_YIELD_AT(__sanitizer_cov_store16, Kind::kStore)

}  // extern "C"

namespace refquake::sched {

void SchedOpBoundary() {
  if (IsManaged()) YieldPoint(Kind::kOp, 0);
}

void SchedLock(Kind kind, const void* place) {
  if (IsManaged()) YieldPoint(kind, reinterpret_cast<uintptr_t>(place));
}

}  // namespace refquake::sched
