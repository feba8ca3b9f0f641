// What is known about the slots at a place in a program, without running it: which type of object
// each holds and which was written last. Generated ops go by it, so that most of them reach the
// code behind the argument check.
//
//   SlotState state = StateBefore(program, {.phase = 1, .lane = 0, .index = 2}, table);
//   if (state.types[slot] == node) ...
//
// Contract: an estimate. Attributes of unknown type give kNoType; ops are assumed to succeed.
#ifndef REFQUAKE_CORE_SLOT_STATE_H_
#define REFQUAKE_CORE_SLOT_STATE_H_

#include <array>
#include <cstdint>

#include "core/program.h"

namespace refquake {

inline constexpr int kEmptySlot = -2;  // beside kNoType: something, but of no known type; kOtherType: no type under test

// Where an op stands, or would stand.
struct Place {
  size_t phase = 0;
  size_t lane = 0;
  size_t index = 0;
  bool operator==(const Place&) const = default;
};

struct SlotState {
  std::array<int, kSlots> types;
  std::array<uint32_t, kSlots> written{};  // the step that wrote it last; 0: none did
  uint32_t step = 0;

  SlotState() { types.fill(kEmptySlot); }
  void Apply(const Op& op, const OpTable& table);
  // Each lane on its own copy, then the merge at the barrier.
  void Apply(const Phase& phase, const OpTable& table);
  bool IsLive(int slot) const { return types[static_cast<size_t>(slot)] != kEmptySlot; }
  int NumLive() const;
};

SlotState StateBefore(const Program& program, const Place& place, const OpTable& table);

}  // namespace refquake

#endif  // REFQUAKE_CORE_SLOT_STATE_H_
