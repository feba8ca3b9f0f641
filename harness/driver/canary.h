// Canaries: planted bugs of the harness's own, run through the same discovery, executor and oracles as
// any target. A process in which they are not reported could not have found anything.
//
// The module `refquake_canary` has one type, Canary, with a racy method, one that reads freed memory,
// one that ends in a CPython fatal error, and a member its tp_traverse does not visit.
//
//   RegisterCanary();                                 // before the interpreter starts
//   ArmCanary();                                      // after discovery: until then its methods do nothing
//   const char* text = CanaryProgram("race");         // null if there is no such canary
//
// Contract: compiled with the flavour's sanitizer like code under test.
#ifndef REFQUAKE_DRIVER_CANARY_H_
#define REFQUAKE_DRIVER_CANARY_H_

#include <string>

namespace refquake {

inline constexpr char kCanaryModule[] = "refquake_canary";

void RegisterCanary();
void ArmCanary();
const char* CanaryProgram(const std::string& name);
// What the report must contain.
const char* CanaryReport(const std::string& name);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_CANARY_H_
