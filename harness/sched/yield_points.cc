// Yield points inside the code under test: clang calls these before each load and store of code built
// with -fsanitize-coverage=trace-loads,trace-stores. Extensions find them in the binary that loads them.
#include "sched/lane.h"
#include "sched/token.h"

using refquake::sched::IsManaged;
using refquake::sched::LoadPoint;
using refquake::sched::StorePoint;

#define REFQUAKE_PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define REFQUAKE_POINTS(size)                         \
  void __sanitizer_cov_load##size(void* address) {    \
    if (IsManaged()) LoadPoint(address, REFQUAKE_PC); \
  }                                                   \
  void __sanitizer_cov_store##size(void*) {           \
    if (IsManaged()) StorePoint(REFQUAKE_PC);         \
  }

extern "C" {

REFQUAKE_POINTS(1)
REFQUAKE_POINTS(2)
REFQUAKE_POINTS(4)
REFQUAKE_POINTS(8)
REFQUAKE_POINTS(16)

}  // extern "C"

namespace refquake::sched {

void SchedOpBoundary() {
  if (IsManaged()) YieldPoint(Kind::kOp, 0);
}

void SchedLock(Kind kind, const void* place) {
  if (IsManaged()) YieldPoint(kind, reinterpret_cast<uintptr_t>(place));
}

}  // namespace refquake::sched
