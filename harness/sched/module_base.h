// Code addresses without address randomisation.
#ifndef REFQUAKE_SCHED_MODULE_BASE_H_
#define REFQUAKE_SCHED_MODULE_BASE_H_

#include <cstdint>

namespace refquake::sched {

// `pc` relative to its loaded object, mixed with that object's file name: the same in every process.
// Only the holder of the token may call it (the last object is remembered).
uint64_t StableAddress(uintptr_t pc);

struct CodePlace {
  const char* file = nullptr;  // path of the shared object, for as long as it is loaded; null: the program itself
  uintptr_t offset = 0;        // from where it is mapped
};
// Takes no lock, and may be called by anyone.
CodePlace PlaceOf(uintptr_t pc);

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_MODULE_BASE_H_
