// Every program survives bytes -> program -> text -> program -> bytes, and every byte string is a program.
#include <gtest/gtest.h>

#include "core/bytes.h"
#include "core/text.h"
#include "random_programs.h"
#include "sample_tables.h"

namespace refquake {
namespace {

constexpr int kPrograms = 100000;

// Tables that change what can be written: usual, nasty, without values.
std::vector<OpTable> Tables() {
  OpTable bare("bare");
  bare.Add({.form = Form::kCall, .name = "f", .nargs = 4, .has_result = true});
  bare.Add({.form = Form::kDrop});
  return {NodeTable(), NastyTable(), bare};
}

void RoundTrip(const Program& p, const OpTable& table) {
  ExpectWellFormed(p, table);
  ASSERT_TRUE(IsCanonical(p, table));
  std::vector<uint8_t> bytes = EncodeBytes(p);
  Program decoded;
  DecodeBytes(bytes, table, {}, decoded);
  ASSERT_EQ(decoded, p);
  std::string text = PrintText(decoded, table, "threads");
  ParsedText parsed = ParseText(text, table);
  ASSERT_FALSE(parsed.error) << parsed.error->ToString("program") << "\n" << text;
  ASSERT_EQ(parsed.program, p) << text;
  ASSERT_EQ(parsed.profile, "threads");
  ASSERT_EQ(EncodeBytes(parsed.program), bytes) << text;
}

TEST(RoundTrip, RandomProgramsAreTheSameInEveryForm) {
  std::vector<OpTable> tables = Tables();
  Rng rng(1);
  for (int i = 0; i < kPrograms; ++i) {
    const OpTable& table = tables[static_cast<size_t>(i) % tables.size()];
    ASSERT_NO_FATAL_FAILURE(RoundTrip(RandomProgram(rng, table), table)) << "program " << i;
  }
}

TEST(RoundTrip, EveryByteStringIsAProgram) {
  std::vector<OpTable> tables = Tables();
  Rng rng(2);
  Program p;  // one for all: what is left of the last one must not show
  for (int i = 0; i < kPrograms; ++i) {
    std::vector<uint8_t> bytes(rng.Below(160));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.Next());
    const OpTable& table = tables[static_cast<size_t>(i) % tables.size()];
    int lanes = 1 + static_cast<int>(rng.Below(kMaxLanes));
    DecodeBytes(bytes, table, {.max_lanes = lanes}, p);
    ASSERT_LE(p.MaxLanes(), lanes);
    Program fresh;
    DecodeBytes(bytes, table, {.max_lanes = lanes}, fresh);
    ASSERT_EQ(p, fresh) << "input " << i;
    ASSERT_NO_FATAL_FAILURE(RoundTrip(p, table)) << "input " << i;
  }
}

TEST(RoundTrip, TheLargestProgramFitsIntoText) {
  std::string longest(200, 'x');
  OpTable table("big");
  table.Add({.form = Form::kCall, .name = longest, .nargs = kMaxArgs, .has_result = true});
  table.AddValue({.text = "'" + longest.substr(2) + "'"});
  Op op{.op = 0, .dst = 15};
  op.args.fill(Arg::Value(0));
  Program p;
  for (int i = 0; i < kMaxOps; ++i) {
    p.phases.push_back({.lanes = std::vector<Lane>(kMaxLanes)});
    p.phases.back().lanes.back().push_back(op);
  }
  p.schedule.policy = Policy::kReplay;
  for (int i = kMaxSwitches; i > 0; --i) p.schedule.switches.push_back({static_cast<uint16_t>(UINT16_MAX + 1 - i), 7});
  EXPECT_LE(PrintText(p, table, "").size(), kMaxTextBytes);
  RoundTrip(p, table);
}

}  // namespace
}  // namespace refquake
