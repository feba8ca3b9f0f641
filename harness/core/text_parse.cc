#include <algorithm>

#include "core/cursor.h"
#include "core/text.h"
#include "core/text_op.h"

namespace refquake {
namespace {

class Parser {
 public:
  explicit Parser(const OpTable& table) : table_(table) {}

  ParsedText Parse(std::string_view text);

 private:
  bool ParseLine(Cursor& cursor);
  bool ParseHeader(Cursor& cursor);
  bool ParseTarget(Cursor& cursor);
  bool ParseSchedule(Cursor& cursor);
  bool ParseSeed(Cursor& cursor);
  bool ParseSwitches(Cursor& cursor);
  bool ParsePhase(Cursor& cursor, int indent);
  bool ParseLane(Cursor& cursor, int indent);
  bool ParseBody(Cursor& cursor, int indent);
  bool CheckBlockFilled(Cursor& cursor);
  bool Finish(Cursor& cursor);

  Phase& phase() { return out_.program.phases.back(); }

  const OpTable& table_;
  ParsedText out_;
  size_t start_ = 0;  // of what the current line says
  size_t ops_ = 0;
  bool seen_target_ = false;
  bool seen_profile_ = false;
  bool seen_schedule_ = false;
  bool in_lane_ = false;
  bool lane_filled_ = false;  // an op or "pass" stands in it
  int lane_indent_ = 0;
};

// Where byte `pos` of the text is.
TextError Locate(std::string_view text, size_t pos, std::string message) {
  std::string_view before = text.substr(0, pos);
  auto line = std::count(before.begin(), before.end(), '\n');
  size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<int>(line) + 1, static_cast<int>(pos - start) + 1, std::move(message)};
}

std::string DescribeBadByte(uint8_t byte) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string hex = {'0', 'x', kHex[byte >> 4], kHex[byte & 15]};
  if (byte == 0) return "NUL byte: a text program holds none";
  if (byte < 0x80) return "control character " + hex + ": a text program holds none";
  return "byte " + hex + " is not UTF-8";
}

std::optional<TextError> CheckText(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return TextError{
        1, 1,
        "text of " + std::to_string(text.size()) + " bytes: a program has at most " + std::to_string(kMaxTextBytes)};
  }
  size_t bad = FindBadByte(text);
  if (bad == text.npos) return std::nullopt;
  return Locate(text, bad, DescribeBadByte(static_cast<uint8_t>(text[bad])));
}

ParsedText Parser::Parse(std::string_view text) {
  out_.error = CheckText(text);
  int number = 0;
  for (size_t pos = 0; !out_.error;) {
    size_t end = std::min(text.find('\n', pos), text.size());
    std::string_view line = text.substr(pos, end - pos);
    if (line.ends_with('\r')) line.remove_suffix(1);
    Cursor cursor(line, ++number);
    bool last = end == text.size();
    if (ParseLine(cursor) && last) Finish(cursor);
    out_.error = cursor.error();
    if (last) break;
    pos = end + 1;
  }
  if (out_.error) out_.program = {};
  Canonicalize(out_.program, table_);
  return std::move(out_);
}

bool Parser::ParseLine(Cursor& cursor) {
  int indent = cursor.SkipIndent();
  start_ = cursor.pos();
  if (cursor.AtEnd()) return true;
  bool good = false;
  if (cursor.Eat("phase:")) {
    good = ParsePhase(cursor, indent);
  } else if (cursor.Eat("lane:")) {
    good = ParseLane(cursor, indent);
  } else if (out_.program.phases.empty()) {
    if (indent > 0) return cursor.Fail("expected 'target:', 'profile:', 'schedule:' or 'phase:' without indentation");
    good = ParseHeader(cursor);
  } else {
    good = ParseBody(cursor, indent);
  }
  if (!good) return false;
  if (!cursor.AtEnd()) return cursor.Fail("unexpected " + Quote(cursor.Rest()));
  return true;
}

bool Parser::ParseHeader(Cursor& cursor) {
  auto once = [&](bool& seen) { return seen ? cursor.FailAt(start_, "this line stands here twice") : (seen = true); };
  if (cursor.Eat("target:")) return once(seen_target_) && ParseTarget(cursor);
  if (cursor.Eat("schedule:")) return once(seen_schedule_) && ParseSchedule(cursor);
  if (cursor.Eat("profile:")) {
    if (!once(seen_profile_)) return false;
    out_.profile = cursor.Name();
    return !out_.profile.empty() || cursor.Fail("expected the name of a profile");
  }
  return cursor.Fail("expected 'target:', 'profile:', 'schedule:' or 'phase:', found " + Quote(cursor.Rest()));
}

bool Parser::ParseTarget(Cursor& cursor) {
  cursor.SkipBlanks();
  size_t pos = cursor.pos();
  std::string_view name = cursor.Name();
  if (name == table_.target()) return true;
  return cursor.FailAt(pos, "this program is for target " + Quote(name) + ", not for " + Quote(table_.target()));
}

bool Parser::ParseSeed(Cursor& cursor) {
  if (!cursor.Eat("seed") || !cursor.Eat('=')) return cursor.Fail("expected 'seed='");
  return cursor.Number(UINT32_MAX, out_.program.schedule.seed);
}

bool Parser::ParseSwitches(Cursor& cursor) {
  std::vector<Switch>& switches = out_.program.schedule.switches;
  if (cursor.Rest().starts_with(')')) return true;
  do {
    uint32_t step = 0;
    uint32_t lane = 0;
    cursor.SkipBlanks();
    size_t pos = cursor.pos();
    if (!cursor.Number(UINT16_MAX, step)) return false;
    if (!switches.empty() && step <= switches.back().step) {
      return cursor.FailAt(pos, "the steps of a schedule ascend: " + std::to_string(step) + " stands behind " +
                                    std::to_string(switches.back().step));
    }
    if (!cursor.Eat('>')) return cursor.Fail("expected '>' and a lane");
    if (!cursor.Number(kMaxLanes - 1, lane)) return false;
    if (switches.size() == kMaxSwitches) {
      return cursor.Fail("more than " + std::to_string(kMaxSwitches) + " switches");
    }
    switches.push_back({static_cast<uint16_t>(step), static_cast<uint8_t>(lane)});
  } while (cursor.Eat(','));
  return true;
}

bool Parser::ParseSchedule(Cursor& cursor) {
  Schedule& schedule = out_.program.schedule;
  cursor.SkipBlanks();
  size_t pos = cursor.pos();
  std::string_view name = cursor.Name();
  if (name == "free") return true;
  bool known = name == "pct" || name == "random" || name == "replay";
  if (!known) {
    return cursor.FailAt(
        pos, "unknown schedule " + Quote(name) + ": write free, pct(depth=3, seed=7), random(seed=7) or replay(12>1)");
  }
  if (!cursor.Eat('(')) return cursor.Fail("expected '('");
  if (name == "replay") {
    schedule.policy = Policy::kReplay;
    if (!ParseSwitches(cursor)) return false;
  } else if (name == "random") {
    schedule.policy = Policy::kRandom;
    if (!ParseSeed(cursor)) return false;
  } else {
    schedule.policy = Policy::kPct;
    uint32_t depth = 0;
    if (!cursor.Eat("depth") || !cursor.Eat('=')) return cursor.Fail("expected 'depth='");
    cursor.SkipBlanks();
    size_t pos = cursor.pos();
    if (!cursor.Number(UINT8_MAX, depth)) return false;
    if (depth == 0) return cursor.FailAt(pos, "a depth is a number from 1 to " + std::to_string(UINT8_MAX));
    schedule.depth = static_cast<uint8_t>(depth);
    if (!cursor.Eat(',')) return cursor.Fail("expected ', seed='");
    if (!ParseSeed(cursor)) return false;
  }
  return cursor.Eat(')') || cursor.Fail("expected ')'");
}

// Before a block ends: nothing may be left empty, as in Python.
bool Parser::CheckBlockFilled(Cursor& cursor) {
  if (out_.program.phases.empty()) return true;
  if (phase().lanes.empty()) return cursor.FailAt(start_, "the phase above has no lane: write 'lane:'");
  if (!lane_filled_) return cursor.FailAt(start_, "the lane above is empty: write 'pass'");
  return true;
}

bool Parser::ParsePhase(Cursor& cursor, int indent) {
  if (!CheckBlockFilled(cursor)) return false;
  if (!seen_target_) return cursor.FailAt(start_, "expected 'target: " + table_.target() + "' before the first phase");
  if (indent > 0) return cursor.FailAt(start_, "'phase:' stands without indentation");
  if (out_.program.phases.size() == kMaxOps)
    return cursor.FailAt(start_, "more than " + std::to_string(kMaxOps) + " phases");
  out_.program.phases.emplace_back();
  in_lane_ = false;
  return true;
}

bool Parser::ParseLane(Cursor& cursor, int indent) {
  if (out_.program.phases.empty()) return cursor.FailAt(start_, "'lane:' before the first 'phase:'");
  if (indent == 0) return cursor.FailAt(start_, "'lane:' must be indented below 'phase:'");
  if (in_lane_ && !CheckBlockFilled(cursor)) return false;
  if (phase().lanes.size() == kMaxLanes) {
    return cursor.FailAt(start_, "a phase has at most " + std::to_string(kMaxLanes) + " lanes");
  }
  phase().lanes.emplace_back();
  in_lane_ = true;
  lane_filled_ = false;
  lane_indent_ = indent;
  return true;
}

bool Parser::ParseBody(Cursor& cursor, int indent) {
  if (!in_lane_) return cursor.Fail("expected 'lane:', found " + Quote(cursor.Rest()));
  if (indent <= lane_indent_) return cursor.Fail("an op must be indented below its 'lane:'");
  lane_filled_ = true;
  std::string_view rest = cursor.Rest();
  if (rest.starts_with("pass") && (rest.size() == 4 || !IsNamePart(rest[4])) && !rest.substr(4).starts_with('(')) {
    return cursor.Eat("pass");
  }
  if (ops_ == kMaxOps) return cursor.Fail("a program has at most " + std::to_string(kMaxOps) + " ops");
  ++ops_;
  return ParseOp(cursor, table_, phase().lanes.back().emplace_back());
}

bool Parser::Finish(Cursor& cursor) {
  start_ = cursor.pos();
  if (!seen_target_) return cursor.Fail("no 'target:' line");
  return CheckBlockFilled(cursor);
}

}  // namespace

ParsedText ParseText(std::string_view text, const OpTable& table) { return Parser(table).Parse(text); }

}  // namespace refquake
