// Allocation failure: makes the n-th allocation that the module under test asks for fail.
//
//   InstallAllocationFaults(target);           // once; wraps CPython's allocators
//   FaultScope fault(3, FaultScope::kOnwards); // the third from here, and all after it
//   ... run an op ...
//   if (fault.hit()) ...                       // it got that far
//
// Only allocations with a frame of the module among the nearest callers are counted and failed: what
// CPython does on its own behalf (an import, an error message) is not the module's to answer for. A
// built-in module cannot be told from the interpreter: there every allocation counts.
//
// Contract: faults hit the thread that made the scope; one scope at a time.
#ifndef REFQUAKE_PYTHON_ALLOCATION_FAULTS_H_
#define REFQUAKE_PYTHON_ALLOCATION_FAULTS_H_

#include "python/target.h"

namespace refquake {

void InstallAllocationFaults(const Target& target);

class FaultScope {
 public:
  enum Mode : uint8_t { kOnce, kOnwards };
  FaultScope(int nth, Mode mode);
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
  bool hit() const;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ALLOCATION_FAULTS_H_
