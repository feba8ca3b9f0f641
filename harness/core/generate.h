// Makes ops and whole programs that are well-typed most of the time.
//
//   Program p = Generate(table, {.max_lanes = 4, .max_ops = 64}, seed);
//   Op op = MakeOp(rng, table, kAllKinds, state);
//
// Contract: the same result from the same seed; canonical and within the limits. Now and then an op
// is wrong on purpose: refusals have bugs too.
#ifndef REFQUAKE_CORE_GENERATE_H_
#define REFQUAKE_CORE_GENERATE_H_

#include "core/mutate.h"
#include "core/rng.h"
#include "core/slot_state.h"

namespace refquake {

// Swarm: which kinds of op this seed's programs may use. Half of all seeds allow every kind, the
// others leave some out; create is always in.
KindMask SwarmKinds(uint64_t seed);

Program Generate(const OpTable& table, const MutateLimits& limits, uint64_t seed);

// An op for a place where the slots are as in `state`. The table must not be empty.
Op MakeOp(Rng& rng, const OpTable& table, KindMask kinds, const SlotState& state);
// Argument number `i` of op `spec`, towards slots of the right type written recently.
Arg MakeArg(Rng& rng, const OpTable& table, const OpSpec& spec, size_t i, const SlotState& state);
// Appends `n` ops to a lane, each knowing of those before.
void AppendRun(Rng& rng, const OpTable& table, KindMask kinds, SlotState state, size_t n, Lane& lane);
// Whether self of `spec` may be in `slot`: an owner's instance, or anything where any type will do.
bool Fits(const OpSpec& spec, const SlotState& state, int slot);
// One of the ops that `weigh` gives a weight above 0; -1 if there is none.
template <typename Weigh>
int PickWeighted(Rng& rng, const OpTable& table, Weigh weigh) {
  uint64_t total = 0;
  for (size_t i = 0; i < table.ops().size(); ++i) total += weigh(static_cast<int>(i));
  if (total == 0) return -1;
  uint64_t rest = rng.Below(total);
  int i = 0;
  for (;; ++i) {
    uint64_t weight = weigh(i);
    if (rest < weight) return i;
    rest -= weight;
  }
}

}  // namespace refquake

#endif  // REFQUAKE_CORE_GENERATE_H_
