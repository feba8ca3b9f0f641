#include "core/text.h"

#include <gtest/gtest.h>

#include "sample_tables.h"

namespace refquake {
namespace {

constexpr char kExample[] =
    "target: node\n"
    "profile: threads\n"
    "phase:\n"
    "    lane:\n"
    "        a = Node()\n"
    "        a.next = a\n"
    "        a.push(10**40)\n"
    "        gc.collect()\n"
    "        c = len(Node())\n"
    "phase:\n"
    "    lane:\n"
    "        pass\n"
    "    lane:\n"
    "        b = a.next\n"
    "        b.next\n"
    "        b = a.pop()\n"
    "    lane:\n"
    "        a.next = None\n"
    "        del a.next\n"
    "        b = a\n"
    "        del a\n";

TEST(Text, ReadsAndPrintsEveryForm) {
  OpTable table = NodeTable();
  ParsedText parsed = ParseText(kExample, table);
  ASSERT_FALSE(parsed.error) << parsed.error->ToString("example");
  EXPECT_EQ(parsed.profile, "threads");
  EXPECT_TRUE(IsCanonical(parsed.program, table));
  EXPECT_EQ(parsed.program.NumOps(), 12u);
  EXPECT_EQ(parsed.program.MaxLanes(), 3);
  EXPECT_EQ(PrintText(parsed.program, table, parsed.profile), kExample);
}

TEST(Text, AcceptsCommentsBlankLinesTabsAndCrLf) {
  OpTable table = NodeTable();
  const char* loose =
      "# what this shows\r\n"
      "\r\n"
      "target:node # here\r\n"
      "phase:\r\n"
      "\tlane:   # first\r\n"
      "\t\ta=Node( )\r\n"
      "\t\t  a.push( 10**40 )# links\r\n"
      "\t\tdel\ta";
  ParsedText parsed = ParseText(loose, table);
  ASSERT_FALSE(parsed.error) << parsed.error->ToString("loose");
  EXPECT_EQ(PrintText(parsed.program, table, ""),
            "target: node\nphase:\n    lane:\n        a = Node()\n        a.push(10**40)\n        del a\n");
}

TEST(Text, ReadsAndPrintsEverySchedule) {
  OpTable table = NodeTable();
  for (std::string schedule : {"pct(depth=3, seed=7)", "random(seed=4294967295)", "replay(12>1, 40>0)", "replay()"}) {
    std::string text = "target: node\nschedule: " + schedule + "\n";
    ParsedText parsed = ParseText(text, table);
    ASSERT_FALSE(parsed.error) << parsed.error->ToString(schedule);
    EXPECT_EQ(PrintText(parsed.program, table, ""), text);
  }
  ParsedText free = ParseText("schedule: free\ntarget: node\n", table);
  ASSERT_FALSE(free.error);
  EXPECT_EQ(free.program, Program{});
  EXPECT_EQ(PrintText(free.program, table, ""), "target: node\n");
}

TEST(Text, TellsTextFromBytes) {
  EXPECT_TRUE(LooksLikeText("target: node"));
  EXPECT_TRUE(LooksLikeText("# comment\ntarget: node"));
  EXPECT_FALSE(LooksLikeText(""));
  EXPECT_TRUE(LooksLikeText("phase:"));
  EXPECT_TRUE(LooksLikeText("profile: threads\n\ntarget: node"));
  EXPECT_TRUE(LooksLikeText("target: node\n\xff"));
  EXPECT_FALSE(LooksLikeText("\n"));
  EXPECT_FALSE(LooksLikeText("phase:\xff"));
  EXPECT_FALSE(LooksLikeText(std::string_view("#\x03\0\0\0\0\0\0", 8)));
  EXPECT_FALSE(LooksLikeText(std::string_view("\0\0\0\0", 4)));
}

}  // namespace
}  // namespace refquake
