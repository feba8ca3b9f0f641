#include "core/op_table.h"

#include <gtest/gtest.h>

#include "core/program.h"
#include "sample_tables.h"

namespace refquake {
namespace {

TEST(OpTable, FindsByFormNameAndNumberOfArguments) {
  OpTable table = NodeTable();
  EXPECT_EQ(table.op(table.Find(Form::kGet, "next", 1)).kind, OpKind::kRead);
  EXPECT_EQ(table.op(table.Find(Form::kSet, "next", 2)).kind, OpKind::kLink);
  EXPECT_EQ(table.Find(Form::kSet, "next", 1), -1);
  EXPECT_EQ(table.Find(Form::kCall, "next", 1), -1);
  EXPECT_EQ(table.Find(Form::kGet, "nex", 1), -1);
  EXPECT_EQ(table.Named("next").size(), 3u);
  EXPECT_TRUE(table.Named("nothing").empty());
}

TEST(OpTable, DuplicateGivesTheFirstIndexAndKeepsTheFirstSpec) {
  OpTable table = NodeTable();
  size_t size = table.ops().size();
  int first = table.Find(Form::kCall, "Node", 0);
  EXPECT_EQ(table.Add({.form = Form::kCall, .kind = OpKind::kCollect, .name = "Node"}), first);
  EXPECT_EQ(table.ops().size(), size);
  EXPECT_EQ(table.op(first).kind, OpKind::kCreate);
  EXPECT_EQ(table.AddType("Node"), 0);
  EXPECT_EQ(table.AddType("Other"), 1);
  EXPECT_EQ(table.AddValue({.text = "10**40"}), 1);
}

TEST(OpTable, SetsTheShapeOfFormsThatHaveOne) {
  OpTable table;
  const OpSpec& set = table.op(table.Add({.form = Form::kSet, .name = "x", .has_result = true}));
  EXPECT_EQ(set.nargs, 2);
  EXPECT_FALSE(set.has_result);
  const OpSpec& copy = table.op(table.Add({.form = Form::kCopy}));
  EXPECT_EQ(copy.nargs, 1);
  EXPECT_TRUE(copy.has_result);
}

TEST(OpTable, RefusesOpsThatNoProgramCouldName) {
  OpTable table;
  EXPECT_EQ(table.Add({.form = Form::kCall, .name = "f", .nargs = kMaxArgs + 1}), -1);
  EXPECT_EQ(table.Add({.form = Form::kMethod, .name = "f", .nargs = 0}), -1);
  for (const char* name : {"", "a b", "1x", "x.", ".x", "x..y", "<lambda>", "x\n", "\xff", "del", "a.push"}) {
    EXPECT_EQ(table.Add({.form = Form::kCall, .name = name}), -1) << name;
  }
  EXPECT_EQ(table.Add({.form = Form::kGet, .name = std::string(1000, 'x')}), -1);
  EXPECT_EQ(table.Add({.form = Form::kDrop, .name = "x"}), -1);
  EXPECT_TRUE(table.ops().empty());
  EXPECT_GE(table.Add({.form = Form::kMethod, .name = "a.push", .nargs = 1}), 0);
}

TEST(OpTable, RefusesValuesThatWouldNotBeReadBack) {
  OpTable table;
  for (const char* text :
       {"", "a", "p", " 1", "1 ", "1, 2", "(", ")", "[)", "'", "\"\\\"", "1 # one", "1\n2", "\x01", "\xc3", "x]"}) {
    EXPECT_EQ(table.AddValue({.text = text}), -1) << text;
  }
  EXPECT_EQ(table.AddValue({.text = std::string(65, '(') + std::string(65, ')')}), -1);
  EXPECT_EQ(table.AddValue({.text = std::string(64, '(') + std::string(64, ')')}), 0);
  EXPECT_EQ(table.AddValue({.text = "q"}), 1);
}

TEST(OpTable, HoldsAsManyValuesAsAnArgumentCanName) {
  OpTable table;
  for (int i = 0; i < 128; ++i) EXPECT_EQ(table.AddValue({.text = std::to_string(i)}), i);
  EXPECT_EQ(table.AddValue({.text = "128"}), -1);
  EXPECT_EQ(table.FindValue("127"), 127);
  EXPECT_EQ(table.FindValue("128"), -1);
  EXPECT_EQ(Arg::Value(127).value(), 127);
}

}  // namespace
}  // namespace refquake
