// Random programs for property tests: any field may hold anything, only then made canonical.
#ifndef REFQUAKE_TESTS_UNIT_CORE_RANDOM_PROGRAMS_H_
#define REFQUAKE_TESTS_UNIT_CORE_RANDOM_PROGRAMS_H_

#include <gtest/gtest.h>

#include "core/program.h"
#include "core/rng.h"

namespace refquake {

inline Op RandomOp(Rng& rng) {
  Op op{.op = static_cast<uint16_t>(rng.Next()), .dst = static_cast<uint8_t>(rng.Next())};
  for (Arg& arg : op.args) arg.code = static_cast<uint8_t>(rng.Next());
  return op;
}

inline Program RandomProgram(Rng& rng, const OpTable& table) {
  Program p;
  p.phases.resize(rng.Below(5));
  for (Phase& phase : p.phases) {
    phase.lanes.resize(rng.Below(kMaxLanes + 1));
    for (Lane& lane : phase.lanes) {
      for (size_t n = rng.Below(5); n > 0; --n) lane.push_back(RandomOp(rng));
    }
  }
  p.schedule.policy = static_cast<Policy>(rng.Below(kPolicies));
  p.schedule.depth = static_cast<uint8_t>(rng.Next());
  p.schedule.seed = static_cast<uint32_t>(rng.Next());
  for (size_t n = rng.Below(6); n > 0; --n) {
    p.schedule.switches.push_back({static_cast<uint16_t>(rng.Next()), static_cast<uint8_t>(rng.Next())});
  }
  Canonicalize(p, table);
  return p;
}

// The rules of program.h once more, one by one, so that IsCanonical() is not its own judge.
inline void ExpectWellFormed(const Program& p, const OpTable& table) {
  ASSERT_LE(p.NumOps(), static_cast<size_t>(kMaxOps));
  ASSERT_LE(p.MaxLanes(), kMaxLanes);
  for (const Phase& phase : p.phases) {
    ASSERT_FALSE(phase.lanes.empty());
    ASSERT_FALSE(phase.lanes.back().empty());
    for (const Lane& lane : phase.lanes) {
      for (const Op& op : lane) {
        ASSERT_LT(op.op, table.ops().size());
        const OpSpec& spec = table.op(op.op);
        ASSERT_TRUE(op.dst < kSlots ? spec.has_result : op.dst == kNoSlot && spec.form != Form::kCopy);
        for (size_t i = 0; i < kMaxArgs; ++i) {
          Arg arg = op.args[i];
          if (i >= spec.nargs) ASSERT_EQ(arg, Arg{});
          if (i == 0 && spec.form != Form::kCall) ASSERT_TRUE(arg.is_slot());
          ASSERT_TRUE(arg.is_slot() ? arg.slot() < kSlots : arg.value() < static_cast<int>(table.values().size()));
        }
      }
    }
  }
}

}  // namespace refquake

#endif  // REFQUAKE_TESTS_UNIT_CORE_RANDOM_PROGRAMS_H_
