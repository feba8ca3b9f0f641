// Structured mutation: changes programs as programs, so that most results still do something.
//
//   MutateLimits limits{.max_lanes = 4, .max_ops = 64, .kinds = SwarmKinds(run)};
//   std::optional<Mutator> by = Mutate(program, table, limits, seed);
//   Program child = CrossOver(program, other, table, limits, seed);
//
// Contract: deterministic by seed; the result is canonical and within the limits, whatever came in.
// Each mutator can be left out by name, to measure what it earns.
#ifndef REFQUAKE_CORE_MUTATE_H_
#define REFQUAKE_CORE_MUTATE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/program.h"

namespace refquake {

using KindMask = uint32_t;
inline constexpr int kOpKinds = static_cast<int>(OpKind::kCollect) + 1;
inline constexpr KindMask kAllKinds = (1u << kOpKinds) - 1;
constexpr KindMask MaskOf(OpKind kind) { return 1u << static_cast<int>(kind); }

struct MutateLimits {
  int max_lanes = kMaxLanes;
  size_t max_ops = kMaxOps;    // ops and schedule switches together: 8 + 8 * max_ops bytes hold the program
  KindMask kinds = kAllKinds;  // of new ops
};

enum class Mutator : uint8_t {
  kInsert,     // one new op anywhere
  kRemove,     // one op or a short run
  kDuplicate,  // an op once more, in the same lane
  kMove,       // an op to another place in its lane
  kSwap,       // two ops anywhere
  kArgument,   // an argument, towards slots written recently
  kResult,     // where the result goes
  kReplace,    // an op by another of the same kind or owner
  kCollide,    // an op, or its rival, on the same object in another lane
  kSplit,      // a barrier inside a phase
  kMerge,      // two phases into one
  kBarrier,    // an op across a barrier
  kLane,       // an op into another lane
  kGrow,       // a run of new ops at the end
  kSchedule,   // policy, seed, depth, switches
};
inline constexpr int kMutators = static_cast<int>(Mutator::kSchedule) + 1;

using MutatorMask = uint32_t;
inline constexpr MutatorMask kAllMutators = (1u << kMutators) - 1;
constexpr MutatorMask MaskOf(Mutator mutator) { return 1u << static_cast<int>(mutator); }
std::string_view MutatorName(Mutator mutator);  // "insert"
std::optional<Mutator> MutatorNamed(std::string_view name);

// Applies one mutator of `mask` that changes the program, and names it; none if none of them can.
std::optional<Mutator> Mutate(Program& program, const OpTable& table, const MutateLimits& limits, uint64_t seed,
                              MutatorMask mask = kAllMutators);

// A program with parts of both.
Program CrossOver(const Program& a, const Program& b, const OpTable& table, const MutateLimits& limits, uint64_t seed);

// The nearest canonical program within the limits: lanes folded modulo, what is too much dropped.
void FitToLimits(Program& program, const OpTable& table, const MutateLimits& limits);

}  // namespace refquake

#endif  // REFQUAKE_CORE_MUTATE_H_
