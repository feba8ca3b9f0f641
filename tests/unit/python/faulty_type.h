// A module `faulty` with one type, Pair, that keeps every rule the oracles judge, but for one fault.
//
//   RegisterFaulty(Fault::kNoFree);     // before the interpreter starts
//   ArmFault();                         // after discovery
#ifndef REFQUAKE_TESTS_UNIT_PYTHON_FAULTY_TYPE_H_
#define REFQUAKE_TESTS_UNIT_PYTHON_FAULTY_TYPE_H_

#include <string_view>

namespace refquake {

enum class Fault {
  kNone,
  kNoFree,
  kFreedTwice,
  kWrongFreeSlot,
  kDictLeft,
  kWeakrefsLeft,
  kExceptionLost,
  kFinalizerSkipped,
  kTypeKept,
  kTypeDroppedEarly,
  kUntrackMissing,
  kUntrackLate,
  kTypeNotVisited,
  kTypeVisitedTwice,
  kTraverseCounts,
  kMemberNotVisited,
  kMemberVisitedTwice,
  kMemberNotOwned,
  kReferenceLeaked,
  kNotCleared,
  kNeverTracked,
  kErrorNotSet,
};

void RegisterFaulty(Fault fault);
void ArmFault();

}  // namespace refquake

#endif  // REFQUAKE_TESTS_UNIT_PYTHON_FAULTY_TYPE_H_
