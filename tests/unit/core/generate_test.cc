#include "core/generate.h"

#include <gtest/gtest.h>

#include <set>

#include "core/bytes.h"
#include "random_programs.h"
#include "sample_tables.h"

namespace refquake {
namespace {

TEST(Generate, IsCanonicalWithinLimitsAndTheSameFromTheSameSeed) {
  OpTable table = NastyTable();
  Rng rng(1);
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    MutateLimits limits{.max_lanes = 1 + static_cast<int>(rng.Below(kMaxLanes)), .max_ops = 1 + rng.Below(40)};
    Program p = Generate(table, limits, seed);
    ASSERT_NO_FATAL_FAILURE(ExpectWellFormed(p, table));
    ASSERT_TRUE(IsCanonical(p, table));
    ASSERT_LE(p.MaxLanes(), limits.max_lanes);
    ASSERT_LE(p.NumOps(), limits.max_ops);
    ASSERT_GE(p.NumOps(), 1u);
    ASSERT_EQ(p, Generate(table, limits, seed));
  }
  EXPECT_TRUE(Generate(OpTable("empty"), {}, 1).phases.empty());
}

TEST(Generate, ActsMostlyOnSlotsOfTheRightType) {
  OpTable table = NodeTable();
  size_t ops = 0;
  size_t fitting = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Program p = Generate(table, {.max_lanes = 4}, seed);
    SlotState start;
    for (const Phase& phase : p.phases) {
      for (const Lane& lane : phase.lanes) {
        SlotState state = start;
        for (const Op& op : lane) {
          if (table.op(op.op).form != Form::kCall) {
            ++ops;
            fitting += Fits(table.op(op.op), state, op.args[0].slot());
          }
          state.Apply(op, table);
        }
      }
      start.Apply(phase, table);
    }
  }
  EXPECT_GT(ops, 5000u);
  EXPECT_GT(fitting * 100, ops * 85) << fitting << " of " << ops;
  EXPECT_LT(fitting, ops) << "some must be wrong on purpose";
}

TEST(Generate, SomeSeedsLeaveKindsOutAndNoneLeavesOutCreate) {
  std::set<KindMask> masks;
  size_t full = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    KindMask kinds = SwarmKinds(seed);
    EXPECT_TRUE(kinds & MaskOf(OpKind::kCreate));
    full += kinds == kAllKinds;
    masks.insert(kinds);
  }
  EXPECT_GT(full, 400u);
  EXPECT_LT(full, 700u);
  EXPECT_GT(masks.size(), 50u);
}

TEST(Generate, UsesNoKindThatIsLeftOut) {
  OpTable table = NodeTable();
  KindMask kinds = MaskOf(OpKind::kCreate) | MaskOf(OpKind::kRead);
  for (uint64_t seed = 0; seed < 500; ++seed) {
    for (const Phase& phase : Generate(table, {.kinds = kinds}, seed).phases) {
      for (const Lane& lane : phase.lanes) {
        for (const Op& op : lane) ASSERT_TRUE(kinds & MaskOf(table.op(op.op).kind));
      }
    }
  }
}

TEST(Generate, ChoosesByWeight) {
  OpTable table("weights");
  int rare = table.Add({.form = Form::kCall, .kind = OpKind::kCall, .name = "rare", .weight = 1});
  int often = table.Add({.form = Form::kCall, .kind = OpKind::kCall, .name = "often", .weight = 9});
  int never = table.Add({.form = Form::kCall, .kind = OpKind::kCall, .name = "never", .weight = 0});
  Rng rng(1);
  std::array<int, 3> seen{};
  for (int i = 0; i < 10000; ++i) ++seen[MakeOp(rng, table, kAllKinds, SlotState{}).op];
  EXPECT_EQ(seen[static_cast<size_t>(never)], 0);
  EXPECT_NEAR(seen[static_cast<size_t>(rare)], 1000, 150);
  EXPECT_NEAR(seen[static_cast<size_t>(often)], 9000, 150);
}

TEST(Generate, FewRecentSlotsAreUsedMost) {
  OpTable table = NodeTable();
  SlotState state;
  for (uint8_t slot = 0; slot < 8; ++slot) state.Apply(Op{.op = 0, .dst = slot}, table);
  const OpSpec& push = table.op(table.Find(Form::kMethod, "push", 2));
  Rng rng(1);
  std::array<int, kSlots> seen{};
  for (int i = 0; i < 1000; ++i) ++seen[MakeArg(rng, table, push, 0, state).code];
  EXPECT_GT(seen[7], 400);
  EXPECT_GT(seen[6], 150);
  EXPECT_LT(seen[0], 50);
}

TEST(Generate, NowAndThenAValueIsNotWhatTheOpAccepts) {
  OpTable table = NodeTable();
  OpSpec push = table.op(table.Find(Form::kMethod, "push", 2));
  push.hints = {{}, {.values = {table.FindValue("Node()")}}};
  SlotState state;
  state.Apply(Op{.op = 0, .dst = 0}, table);
  Rng rng(1);
  int refused = 0;
  for (int i = 0; i < 32000; ++i) {
    const Arg arg = MakeArg(rng, table, push, 1, state);
    refused += !arg.is_slot() && arg.value() != table.FindValue("Node()");
    const Arg self = MakeArg(rng, table, push, 0, state);
    ASSERT_TRUE(self.is_slot()) << "self is an object of the program's";
  }
  EXPECT_NEAR(refused, 1000 * 2 / 3, 120) << "one argument in 32, of which a third is right by chance";
}

}  // namespace
}  // namespace refquake
