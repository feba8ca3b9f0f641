#include "core/program.h"

#include <gtest/gtest.h>

#include "sample_tables.h"

namespace refquake {
namespace {

class ProgramTest : public ::testing::Test {
 protected:
  Op Make(Form form, const char* name, int nargs, uint8_t dst = kNoSlot) {
    return {.op = static_cast<uint16_t>(table_.Find(form, name, nargs)), .dst = dst};
  }

  OpTable table_ = NodeTable();
  Op create_ = Make(Form::kCall, "Node", 0, 0);
};

TEST_F(ProgramTest, CountsOpsAndLanes) {
  Program p;
  EXPECT_EQ(p.NumOps(), 0u);
  EXPECT_EQ(p.MaxLanes(), 0);
  p.phases = {{.lanes = {{create_}}}, {.lanes = {{create_}, {}, {create_, create_}}}};
  EXPECT_EQ(p.NumOps(), 4u);
  EXPECT_EQ(p.MaxLanes(), 3);
  EXPECT_TRUE(IsCanonical(p, table_));
}

TEST_F(ProgramTest, RemovesEmptyPhasesAndTrailingLanesButKeepsLeadingOnes) {
  Program p;
  p.phases = {{}, {.lanes = {{}, {create_}, {}}}, {.lanes = {{}, {}}}};
  EXPECT_FALSE(IsCanonical(p, table_));
  Canonicalize(p, table_);
  ASSERT_EQ(p.phases.size(), 1u);
  EXPECT_EQ(p.phases[0].lanes, (std::vector<Lane>{{}, {create_}}));
}

TEST_F(ProgramTest, ReducesIndicesAndClearsUnusedFields) {
  Op op = create_;
  op.op = static_cast<uint16_t>(op.op + table_.ops().size());
  op.dst = 17;
  op.args = {Arg{1}, Arg{2}, Arg{200}, Arg{255}};
  Program p;
  p.phases = {{.lanes = {{op}}}};
  EXPECT_FALSE(IsCanonical(p, table_));
  Canonicalize(p, table_);
  EXPECT_EQ(p.phases[0].lanes[0][0], (Op{.op = create_.op, .dst = 1}));
}

TEST_F(ProgramTest, SelfIsASlotAndOtherArgumentsMayBeValues) {
  Op set = Make(Form::kSet, "next", 2, 3);
  set.args = {Arg::Value(1), Arg::Value(4)};  // the table has three values
  CanonicalizeOp(set, table_);
  EXPECT_EQ(set.args[0], Arg::Slot(129 % kSlots));
  EXPECT_EQ(set.args[1], Arg::Value(1));
  EXPECT_EQ(set.dst, kNoSlot);
  OpTable no_values("node");
  Op call{.op = static_cast<uint16_t>(no_values.Add({.form = Form::kCall, .name = "len", .nargs = 1}))};
  call.args[0] = Arg::Value(5);
  CanonicalizeOp(call, no_values);
  EXPECT_EQ(call.args[0], Arg::Slot(5));
}

TEST_F(ProgramTest, CopyAlwaysHasAResult) {
  Op copy = Make(Form::kCopy, "", 1);
  CanonicalizeOp(copy, table_);
  EXPECT_EQ(copy.dst, kNoSlot % kSlots);
}

TEST_F(ProgramTest, DropsWhatIsTooMuch) {
  Program p;
  p.phases = {{.lanes = {Lane(kMaxOps - 1, create_), Lane(7, create_)}}, {.lanes = {{create_}}}};
  Canonicalize(p, table_);
  EXPECT_EQ(p.NumOps(), static_cast<size_t>(kMaxOps));
  EXPECT_EQ(p.phases.size(), 1u);
  p.phases = {{.lanes = std::vector<Lane>(kMaxLanes + 1, Lane{create_})}};
  Canonicalize(p, table_);
  EXPECT_EQ(p.MaxLanes(), kMaxLanes);
  EXPECT_EQ(p.phases[0].lanes[0].size(), 2u);
}

TEST_F(ProgramTest, ScheduleKeepsOnlyWhatItsPolicyUses) {
  Schedule full{.depth = 3, .seed = 7, .switches = {{12, 9}}};
  auto canonical = [&](Policy policy) {
    Program p{.schedule = full};
    p.schedule.policy = policy;
    Canonicalize(p, table_);
    EXPECT_TRUE(IsCanonical(p, table_));
    return p.schedule;
  };
  EXPECT_EQ(canonical(Policy::kFree), Schedule{});
  EXPECT_EQ(canonical(Policy::kPct), (Schedule{.policy = Policy::kPct, .depth = 3, .seed = 7}));
  EXPECT_EQ(canonical(Policy::kRandom), (Schedule{.policy = Policy::kRandom, .seed = 7}));
  EXPECT_EQ(canonical(Policy::kReplay), (Schedule{.policy = Policy::kReplay, .switches = {{12, 1}}}));
}

TEST_F(ProgramTest, AnEmptyTableMakesAnEmptyProgram) {
  Program p;
  p.phases = {{.lanes = {{create_}}}};
  Canonicalize(p, OpTable("empty"));
  EXPECT_TRUE(p.phases.empty());
}

}  // namespace
}  // namespace refquake
