#include "core/bytes.h"

#include <gtest/gtest.h>

#include "sample_tables.h"

namespace refquake {
namespace {

Program Decode(const std::vector<uint8_t>& bytes, const OpTable& table, int lanes = kMaxLanes) {
  Program p;
  DecodeBytes(bytes, table, {.max_lanes = lanes}, p);
  return p;
}

TEST(Bytes, EmptyAndShortInputIsTheEmptyProgram) {
  OpTable table = NodeTable();
  for (size_t size = 0; size < kHeaderBytes; ++size) {
    EXPECT_EQ(Decode(std::vector<uint8_t>(size, 0xff), table), Program{}) << size;
  }
}

TEST(Bytes, ReadsTheDocumentedLayout) {
  OpTable table = NodeTable();
  auto set = static_cast<uint8_t>(table.Find(Form::kSet, "next", 2));
  std::vector<uint8_t> bytes = {1,    3,   0x78, 0x56, 0x34, 0x12, 9, 9,  // pct(depth=3, seed=0x12345678)
                                0,    0,   0,    2,    0,    0,    0, 0,  // lane 0: c = Node()
                                0x82, set, 0,    5,    1,    129,  7, 7,  // barrier, lane 2: b.next = 10**40
                                0x01, 0,   0,    0xff, 1,    1,    1, 1,  // lane 1: Node()
                                0xff, 0xff};
  Program p = Decode(bytes, table);
  EXPECT_EQ(p.schedule, (Schedule{.policy = Policy::kPct, .depth = 3, .seed = 0x12345678}));
  ASSERT_EQ(p.phases.size(), 2u);
  EXPECT_EQ(p.phases[0].lanes, (std::vector<Lane>{{Op{.op = 0, .dst = 2}}}));
  Op link{.op = set, .args = {Arg::Slot(1), Arg::Value(1)}};
  EXPECT_EQ(p.phases[1].lanes, (std::vector<Lane>{{}, {Op{.op = 0}}, {link}}));
  EXPECT_TRUE(IsCanonical(p, table));
}

TEST(Bytes, TakesLanesModuloTheLimit) {
  OpTable table = NodeTable();
  std::vector<uint8_t> bytes(kHeaderBytes);
  for (uint8_t lane = 0; lane < 8; ++lane) bytes.insert(bytes.end(), {lane, 0, 0, lane, 0, 0, 0, 0});
  EXPECT_EQ(Decode(bytes, table).MaxLanes(), 8);
  EXPECT_EQ(Decode(bytes, table, 3).MaxLanes(), 3);
  EXPECT_EQ(Decode(bytes, table, 1).phases[0].lanes[0].size(), 8u);
  EXPECT_EQ(Decode(bytes, table, 0).MaxLanes(), 1);
}

TEST(Bytes, SwitchEntriesBelongToReplayAlone) {
  OpTable table = NodeTable();
  std::vector<uint8_t> bytes = {3, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x34, 0x12, 2, 0, 0, 0, 0};
  EXPECT_EQ(Decode(bytes, table).schedule.switches, (std::vector<Switch>{{0x1234, 2}}));
  EXPECT_EQ(Decode(bytes, table, 2).schedule.switches, (std::vector<Switch>{{0x1234, 0}}));
  bytes[0] = 2;
  EXPECT_TRUE(Decode(bytes, table).schedule.switches.empty());
}

TEST(Bytes, SwitchesThatNoRunComesToAreDropped) {
  OpTable table = NodeTable();
  std::vector<uint8_t> bytes = {3, 0, 0, 0, 0, 0, 0, 0};
  for (uint8_t step : {7, 7, 3, 9}) bytes.insert(bytes.end(), {0x40, step, 0, 1, 0, 0, 0, 0});
  Program p = Decode(bytes, table);
  EXPECT_EQ(p.schedule.switches, (std::vector<Switch>{{7, 1}, {9, 1}}));
  EXPECT_TRUE(IsCanonical(p, table));
}

TEST(Bytes, APctDepthIsOneAtLeast) {
  OpTable table = NodeTable();
  Program p = Decode({1, 0, 7, 0, 0, 0, 0, 0}, table);
  EXPECT_EQ(p.schedule.depth, 1);
  EXPECT_TRUE(IsCanonical(p, table));
}

TEST(Bytes, IgnoresWhatComesBehindTheLimits) {
  OpTable table = NodeTable();
  std::vector<uint8_t> bytes(kHeaderBytes + kInstructionBytes * (kMaxOps + 10));
  EXPECT_EQ(Decode(bytes, table).NumOps(), static_cast<size_t>(kMaxOps));
  bytes.assign(kHeaderBytes, 3);
  for (int step = 0; step < kMaxSwitches + 10; ++step) {
    bytes.insert(bytes.end(), {0x40, static_cast<uint8_t>(step), static_cast<uint8_t>(step >> 8), 1, 0, 0, 0, 0});
  }
  EXPECT_EQ(Decode(bytes, table).schedule.switches.size(), static_cast<size_t>(kMaxSwitches));
}

TEST(Bytes, AnEmptyTableDecodesToNoOps) {
  EXPECT_TRUE(Decode(std::vector<uint8_t>(64), OpTable("empty")).phases.empty());
}

TEST(Bytes, OverwritesTheProgramAndReusesItsStorage) {
  OpTable table = NodeTable();
  std::vector<uint8_t> two(kHeaderBytes), one(kHeaderBytes);
  for (uint8_t i = 0; i < 8; ++i) {
    two.insert(two.end(), {static_cast<uint8_t>(i == 4 ? 0x80 : i % 2), 0, 0, i, 0, 0, 0, 0});
  }
  one.insert(one.end(), {1, 0, 0, 5, 0, 0, 0, 0});
  Program p;
  DecodeBytes(two, table, {}, p);
  const Op* storage = p.phases[0].lanes[1].data();
  DecodeBytes(two, table, {}, p);
  EXPECT_EQ(p.phases[0].lanes[1].data(), storage);
  EXPECT_EQ(p, Decode(two, table));
  DecodeBytes(one, table, {}, p);
  EXPECT_EQ(p.phases[0].lanes[1].data(), storage);
  EXPECT_EQ(p, Decode(one, table));
}

TEST(Bytes, EncodesTheCanonicalForm) {
  Program p;
  p.phases = {{.lanes = {{}, {Op{.op = 0x102, .dst = 3, .args = {Arg::Slot(1), Arg::Value(2)}}}}},
              {.lanes = {{Op{.op = 0}}}}};
  p.schedule = {.policy = Policy::kReplay, .switches = {{0x1234, 2}}};
  EXPECT_EQ(EncodeBytes(p), (std::vector<uint8_t>{3,    0,    0,    0,    0, 0,   0, 0,  //
                                                  0x40, 0x34, 0x12, 2,    0, 0,   0, 0,  //
                                                  1,    2,    1,    3,    1, 130, 0, 0,  //
                                                  0x80, 0,    0,    0xff, 0, 0,   0, 0}));
}

}  // namespace
}  // namespace refquake
