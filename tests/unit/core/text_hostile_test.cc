// Text that is no program: a clear error at the right place, never a crash.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/text.h"
#include "random_programs.h"
#include "sample_tables.h"

namespace refquake {
namespace {

// The error of `text`, as "line:column: message".
std::string Error(std::string_view text) {
  ParsedText parsed = ParseText(text, NodeTable());
  if (!parsed.error) return "no error";
  EXPECT_EQ(parsed.program, Program{});
  std::string where = parsed.error->ToString("");
  return where.substr(1);
}

// The same for one op, at line 4; columns count from the start of the op.
std::string OpError(std::string_view op) {
  std::string error = Error("target: node\nphase:\n lane:\n" + std::string(op.empty() ? "" : "  ") + std::string(op));
  if (!error.starts_with("4:")) return error;
  size_t colon = error.find(':', 2);
  return std::to_string(std::stoi(error.substr(2, colon)) - 2) + error.substr(colon);
}

TEST(HostileText, NamesTheOpThatIsGone) {
  EXPECT_EQ(OpError("x.push(a, b)"), "1: no op 'x.push' with 2 arguments in target node; it has push with 1");
  EXPECT_EQ(OpError("a.push(a, b)"), "1: no op 'a.push' with 2 arguments in target node; it has push with 1");
  EXPECT_EQ(OpError("b = a.push()"), "5: no op 'a.push' with 0 arguments in target node; it has push with 1");
  EXPECT_EQ(OpError("len()"), "1: no op 'len' with 0 arguments in target node; it has len with 1");
  EXPECT_EQ(OpError("gone(Gone())"), "1: no op 'gone' with 1 argument in target node");
  EXPECT_EQ(OpError("len(1, 2, 3, 4, 5, 6)"), "1: no op 'len' with 6 arguments in target node; it has len with 1");
  EXPECT_EQ(OpError("a.left"), "1: no op 'a.left' to get in target node");
  EXPECT_EQ(OpError("a.push = b"), "1: no op 'a.push' to set in target node; it has push with 1");
  EXPECT_EQ(OpError("del  a.pop"), "6: no op 'a.pop' to delete in target node; it has pop with 0");
  EXPECT_EQ(OpError("a.next()"),
            "1: no op 'a.next' with 0 arguments in target node; it has next to get, next to set, next to delete");
  EXPECT_EQ(OpError("a = gc.collect()"), "1: 'gc.collect' has no result to assign");
  OpTable bare("bare");
  bare.Add({.form = Form::kCall, .name = "f", .has_result = true});
  EXPECT_EQ(ParseText("target: bare\nphase:\n lane:\n  a = b", bare).error->ToString("x"),
            "x:4:7: no op to copy a slot in target bare");
  EXPECT_EQ(ParseText("target: bare\nphase:\n lane:\n  del b", bare).error->ToString("x"),
            "x:4:7: no op to drop a slot in target bare");
}

TEST(HostileText, NamesTheSlotOrArgumentThatIsUnknown) {
  EXPECT_EQ(OpError("q = Node()"), "1: unknown slot 'q': slots are a to p");
  EXPECT_EQ(OpError("a = q.next"), "5: unknown slot 'q': slots are a to p");
  EXPECT_EQ(OpError("node.next = a"), "1: unknown slot 'node': slots are a to p");
  EXPECT_EQ(OpError("del A"), "5: unknown slot 'A': slots are a to p");
  EXPECT_EQ(OpError("a.push( q)"), "9: unknown argument 'q': neither a slot (a to p) nor a value of target node");
  EXPECT_EQ(OpError("a.next = Node( )"),
            "10: unknown argument 'Node( )': neither a slot (a to p) nor a value of target node");
}

TEST(HostileText, SaysWhatIsNoOp) {
  EXPECT_EQ(OpError("a"), "1: expected an op, found 'a'");
  EXPECT_EQ(OpError("a = None"), "5: expected a slot, an attribute or a call behind '=', found 'None'");
  EXPECT_EQ(OpError("a ="), "4: expected a name or a slot");
  EXPECT_EQ(OpError("= a"), "1: expected a name or a slot");
  EXPECT_EQ(OpError("10**40"), "1: expected a name or a slot");
  EXPECT_EQ(OpError("del"), "4: unknown slot '': slots are a to p");
  EXPECT_EQ(OpError("a = b c"), "7: unexpected 'c' behind the op");
  EXPECT_EQ(OpError("a = b; c = d"), "6: unexpected '; c = d' behind the op");
  EXPECT_EQ(OpError("import os"), "1: expected an op, found 'import'");
  EXPECT_EQ(OpError("a.push(b"), "9: expected ',' or ')'");
  EXPECT_EQ(OpError("a.push("), "8: expected an argument");
  EXPECT_EQ(OpError("a.push(b,)"), "10: expected an argument");
  EXPECT_EQ(OpError("a.push(,b)"), "8: expected an argument");
  EXPECT_EQ(OpError("a.next ="), "9: expected an argument");
  EXPECT_EQ(OpError("a.push('b)"), "8: brackets or quotes do not match, or are nested too deeply");
  EXPECT_EQ(OpError("a.push([b)"), "8: brackets or quotes do not match, or are nested too deeply");
  EXPECT_EQ(OpError("pass a"), "6: unexpected 'a'");
}

TEST(HostileText, ChecksTheTarget) {
  EXPECT_EQ(Error("target: cell\n"), "1:9: this program is for target 'cell', not for 'node'");
  EXPECT_EQ(Error("# x\ntarget: node.sub\n"), "2:9: this program is for target 'node.sub', not for 'node'");
  EXPECT_EQ(Error("target:\n"), "1:8: this program is for target '', not for 'node'");
  EXPECT_EQ(Error(""), "1:1: no 'target:' line");
  EXPECT_EQ(Error("# only a comment\n"), "2:1: no 'target:' line");
  EXPECT_EQ(Error("phase:\n lane:\n  pass\n"), "1:1: expected 'target: node' before the first phase");
  EXPECT_EQ(Error("target: node\ntarget: node\n"), "2:1: this line stands here twice");
  EXPECT_EQ(Error("target: node x\n"), "1:14: unexpected 'x'");
}

TEST(HostileText, ChecksProfileAndSchedule) {
  auto schedule = [](const std::string& s) { return Error("target: node\nschedule: " + s); };
  EXPECT_EQ(Error("profile:\ntarget: node\n"), "1:9: expected the name of a profile");
  EXPECT_EQ(schedule("fast"),
            "2:11: unknown schedule 'fast': write free, pct(depth=3, seed=7), random(seed=7) or replay(12>1)");
  EXPECT_EQ(schedule("random"), "2:17: expected '('");
  EXPECT_EQ(schedule("random(7)"), "2:18: expected 'seed='");
  EXPECT_EQ(schedule("random(seed=4294967296)"), "2:23: expected a number from 0 to 4294967295");
  EXPECT_EQ(schedule("random(seed=99999999999999999999999999)"), "2:23: expected a number from 0 to 4294967295");
  EXPECT_EQ(schedule("random(seed=-1)"), "2:23: expected a number from 0 to 4294967295");
  EXPECT_EQ(schedule("random(seed=1"), "2:24: expected ')'");
  EXPECT_EQ(schedule("pct(depth=256, seed=1)"), "2:21: expected a number from 0 to 255");
  EXPECT_EQ(schedule("pct(depth=0, seed=1)"), "2:21: a depth is a number from 1 to 255");
  EXPECT_EQ(schedule("replay(3>0, 3>1)"), "2:23: the steps of a schedule ascend: 3 stands behind 3");
  EXPECT_EQ(schedule("replay(9>0, 12>1,7>1)"), "2:28: the steps of a schedule ascend: 7 stands behind 12");
  EXPECT_EQ(schedule("pct(depth=2)"), "2:22: expected ', seed='");
  EXPECT_EQ(schedule("pct(seed=2)"), "2:15: expected 'depth='");
  EXPECT_EQ(schedule("replay(12)"), "2:20: expected '>' and a lane");
  EXPECT_EQ(schedule("replay(12>8)"), "2:21: expected a number from 0 to 7");
  EXPECT_EQ(schedule("replay(65536>1)"), "2:18: expected a number from 0 to 65535");
  EXPECT_EQ(schedule("replay(1>1,)"), "2:22: expected a number from 0 to 65535");
  EXPECT_EQ(schedule("free free"), "2:16: unexpected 'free'");
  std::string many = "replay(0>0";
  for (int i = 1; i <= kMaxSwitches; ++i) many += "," + std::to_string(i) + ">0";
  EXPECT_NE(schedule(many + ")").find("more than 512 switches"), std::string::npos);
}

TEST(HostileText, ChecksTheBlocks) {
  std::string head = "target: node\n";
  EXPECT_EQ(Error(head + "hello\n"), "2:1: expected 'target:', 'profile:', 'schedule:' or 'phase:', found 'hello'");
  EXPECT_EQ(Error("  target: node\n"),
            "1:3: expected 'target:', 'profile:', 'schedule:' or 'phase:' without indentation");
  EXPECT_EQ(Error(head + " lane:\n"), "2:2: 'lane:' before the first 'phase:'");
  EXPECT_EQ(Error(head + "phase:\n"), "3:1: the phase above has no lane: write 'lane:'");
  EXPECT_EQ(Error(head + "phase:\nphase:\n"), "3:1: the phase above has no lane: write 'lane:'");
  EXPECT_EQ(Error(head + " phase:\n"), "2:2: 'phase:' stands without indentation");
  EXPECT_EQ(Error(head + "phase:\nlane:\n"), "3:1: 'lane:' must be indented below 'phase:'");
  EXPECT_EQ(Error(head + "phase:\n lane:\n lane:\n"), "4:2: the lane above is empty: write 'pass'");
  EXPECT_EQ(Error(head + "phase:\n lane:"), "3:7: the lane above is empty: write 'pass'");
  EXPECT_EQ(Error(head + "phase:\n  a = b\n"), "3:3: expected 'lane:', found 'a = b'");
  EXPECT_EQ(Error(head + "phase:\n  lane:\n  a = b\n"), "4:3: an op must be indented below its 'lane:'");
  EXPECT_EQ(Error(head + "phase:\n lane: x\n"), "3:8: unexpected 'x'");
  std::string lanes = head + "phase:\n";
  for (int i = 0; i < kMaxLanes; ++i) lanes += " lane:\n  a = b\n";
  EXPECT_EQ(Error(lanes), "no error");
  EXPECT_EQ(Error(lanes + " lane:\n  a = b\n"), "19:2: a phase has at most 8 lanes");
  std::string ops = head + "phase:\n lane:\n";
  for (int i = 0; i < kMaxOps; ++i) ops += "  a = b\n";
  EXPECT_EQ(Error(ops), "no error");
  EXPECT_EQ(Error(ops + "  a = b"), "516:3: a program has at most 512 ops");
  std::string phases = head;
  for (int i = 0; i < kMaxOps; ++i) phases += "phase:\n lane:\n  pass\n";
  EXPECT_EQ(Error(phases), "no error");
  EXPECT_EQ(Error(phases + "phase:\n"), "1538:1: more than 512 phases");
}

TEST(HostileText, FindsBytesThatAreNoText) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Error("target: node\n# \0\n"sv), "2:3: NUL byte: a text program holds none");
  EXPECT_EQ(Error("target: node\x01\n"), "1:13: control character 0x01: a text program holds none");
  EXPECT_EQ(Error("target: node\n\x7f"), "2:1: control character 0x7f: a text program holds none");
  EXPECT_EQ(Error("target: node\rphase:\n"), "1:13: control character 0x0d: a text program holds none");
  for (const char* bad :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf", "\x80"}) {
    std::string error = Error("target: node\r\n# é " + std::string(bad) + "\n");
    EXPECT_TRUE(error.starts_with("2:6: byte 0x") && error.ends_with(" is not UTF-8")) << error;
  }
  EXPECT_EQ(Error("target: node\n# é € 😀\n"), "no error");
}

TEST(HostileText, RefusesWhatIsHugeOrDeep) {
  EXPECT_EQ(Error(std::string(10 << 20, 'x')), "1:1: text of 10485760 bytes: a program has at most 1048576");
  std::string deep(kMaxTextBytes - 100, '(');
  EXPECT_EQ(OpError("len(" + deep), "5: brackets or quotes do not match, or are nested too deeply");
  std::string comment = "target: node\n#" + std::string(kMaxTextBytes - 100, '#') + "\n";
  EXPECT_EQ(Error(comment), "no error");
  EXPECT_EQ(Error("target: node\n" + std::string(kMaxTextBytes - 100, '\n')), "no error");
  std::string error = OpError(std::string(100000, 'x') + "()");
  EXPECT_LT(error.size(), 200u);
  EXPECT_NE(error.find("xxx...' with 0 arguments"), std::string::npos) << error;
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "é";
  error = OpError("x" + wide + "()");
  EXPECT_NE(error.find("é...'"), std::string::npos) << error;
  std::string many = "len(a";
  for (int i = 0; i < 100000; ++i) many += ", a";
  EXPECT_EQ(OpError(many + ")"), "1: no op 'len' with 100001 arguments in target node; it has len with 1");
}

// An error anywhere must lie inside the text.
void ExpectSane(const ParsedText& parsed, std::string_view text, const OpTable& table) {
  if (!parsed.error) {
    ExpectWellFormed(parsed.program, table);
    return;
  }
  auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  ASSERT_GE(parsed.error->line, 1);
  ASSERT_LE(parsed.error->line, lines);
  ASSERT_GE(parsed.error->column, 1);
  ASSERT_LE(static_cast<size_t>(parsed.error->column), text.size() + 1);
  ASSERT_FALSE(parsed.error->message.empty());
}

TEST(HostileText, TruncatedAnywhereIsAnErrorOrAProgram) {
  OpTable table = NastyTable();
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    std::string text = PrintText(RandomProgram(rng, table), table, "threads");
    for (size_t size = 0; size <= text.size(); ++size) {
      std::string cut = text.substr(0, size);
      ASSERT_NO_FATAL_FAILURE(ExpectSane(ParseText(cut, table), cut, table)) << cut;
    }
  }
}

TEST(HostileText, DamagedAnywhereIsAnErrorOrAProgram) {
  constexpr std::string_view kNasty("\0\xff(){}[]'\"\\#,.=:>\n\r\t aq9", 25);
  OpTable table = NastyTable();
  Rng rng(4);
  for (int i = 0; i < 20000; ++i) {
    std::string text = PrintText(RandomProgram(rng, table), table, "threads");
    for (size_t n = 1 + rng.Below(3); n > 0; --n) text[rng.Below(text.size())] = kNasty[rng.Below(kNasty.size())];
    ASSERT_NO_FATAL_FAILURE(ExpectSane(ParseText(text, table), text, table)) << text;
  }
}

}  // namespace
}  // namespace refquake
