// A program: one complete test case, as pure data.
//
// Phases run one after another; the lanes of a phase run concurrently; the ops of a lane run in
// order. Ops refer to the op table by index, so a Program means something only beside its table.
//
//   Program p;
//   p.phases.push_back({.lanes = {{create_a, create_b}, {}}});
//
// Contract: IsCanonical() programs survive both round trips (bytes.h, text.h) unchanged.
#ifndef REFQUAKE_CORE_PROGRAM_H_
#define REFQUAKE_CORE_PROGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/op_table.h"

namespace refquake {

inline constexpr int kSlots = 16;  // "a" to "p"
inline constexpr int kMaxLanes = 8;
inline constexpr int kMaxOps = 512;       // per program; the decoder ignores what comes behind
inline constexpr int kMaxSwitches = 512;  // per schedule; likewise
inline constexpr uint8_t kNoSlot = 0xff;

// One argument: a slot, or a value of the op table.
struct Arg {
  uint8_t code = 0;  // below 128: slot number; else 128 + value index
  static Arg Slot(int slot) { return {static_cast<uint8_t>(slot)}; }
  static Arg Value(int value) { return {static_cast<uint8_t>(128 + value)}; }
  bool is_slot() const { return code < 128; }
  int slot() const { return code; }
  int value() const { return code - 128; }
  bool operator==(const Arg&) const = default;
};

struct Op {
  uint16_t op = 0;        // index into the op table
  uint8_t dst = kNoSlot;  // slot for the result, or kNoSlot to drop it
  std::array<Arg, kMaxArgs> args{};
  bool operator==(const Op&) const = default;
};

using Lane = std::vector<Op>;

struct Phase {
  std::vector<Lane> lanes;
  bool operator==(const Phase&) const = default;
};

enum class Policy : uint8_t { kFree, kPct, kRandom, kReplay };
inline constexpr int kPolicies = 4;

// At yield point `step` (counted through all stepped phases of the program) the token goes to `lane`.
struct Switch {
  uint16_t step = 0;
  uint8_t lane = 0;
  bool operator==(const Switch&) const = default;
};

struct Schedule {
  Policy policy = Policy::kFree;
  uint8_t depth = 0;             // pct only: from 1 on
  uint32_t seed = 0;             // pct and random only
  std::vector<Switch> switches;  // replay only; their steps ascend
  bool operator==(const Schedule&) const = default;
};

struct Program {
  std::vector<Phase> phases;
  Schedule schedule;
  bool operator==(const Program&) const = default;

  size_t NumOps() const;
  int MaxLanes() const;  // of any phase; 0 for an empty program
};

// No empty phase, no trailing empty lane, unused fields at their defaults, indices in range.
bool IsCanonical(const Program& program, const OpTable& table);
// One op of it: `self` (every form but call) is a slot, copy has a result, others only if the op table
// says so, fields not used are at their defaults. The table must not be empty.
void CanonicalizeOp(Op& op, const OpTable& table);
// Removes the switches that no run comes to: those whose step is not behind all before them.
void DropDeadSwitches(std::vector<Switch>& switches);
// The nearest canonical program: indices reduced modulo, empty phases removed, ops past kMaxOps dropped.
void Canonicalize(Program& program, const OpTable& table);

}  // namespace refquake

#endif  // REFQUAKE_CORE_PROGRAM_H_
