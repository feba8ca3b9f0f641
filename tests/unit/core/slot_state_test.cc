#include "core/slot_state.h"

#include <gtest/gtest.h>

#include "core/text.h"
#include "sample_tables.h"

namespace refquake {
namespace {

constexpr int kNode = 0;

class SlotStateTest : public ::testing::Test {
 protected:
  SlotState Before(std::string_view phases, Place place) {
    ParsedText parsed = ParseText("target: node\n" + std::string(phases), table_);
    EXPECT_FALSE(parsed.error) << parsed.error->ToString("test");
    return StateBefore(parsed.program, place, table_);
  }

  OpTable table_ = NodeTable();
};

TEST_F(SlotStateTest, FollowsTheOpsOfALane) {
  const char* text = "phase:\n lane:\n  a = Node()\n  b = a\n  c = a.next\n  del a\n";
  EXPECT_EQ(Before(text, {}).NumLive(), 0);
  SlotState three = Before(text, {.index = 3});
  EXPECT_EQ(three.types[0], kNode);
  EXPECT_EQ(three.types[1], kNode);
  EXPECT_EQ(three.types[2], kNoType);
  EXPECT_EQ(three.types[3], kEmptySlot);
  EXPECT_LT(three.written[0], three.written[1]);
  SlotState end = Before(text, {.index = 4});
  EXPECT_EQ(end.types[0], kEmptySlot);
  EXPECT_EQ(end.NumLive(), 2);
}

TEST_F(SlotStateTest, LanesSeeEachOtherBehindTheBarrierOnly) {
  const char* text =
      "phase:\n lane:\n  a = Node()\n  b = len(a)\n lane:\n  c = Node()\n  b = Node()\n"
      "phase:\n lane:\n  del c\n";
  SlotState second = Before(text, {.phase = 0, .lane = 1, .index = 1});
  EXPECT_EQ(second.types[0], kEmptySlot);
  EXPECT_EQ(second.types[2], kNode);
  SlotState merged = Before(text, {.phase = 1});
  EXPECT_EQ(merged.types[0], kNode);
  EXPECT_EQ(merged.types[1], kNode) << "the highest-numbered lane that wrote it wins";
  EXPECT_EQ(merged.types[2], kNode);
  EXPECT_EQ(Before(text, {.phase = 2}).types[2], kEmptySlot);
}

}  // namespace
}  // namespace refquake
