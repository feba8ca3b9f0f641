#include "core/text.h"

#include "core/lexical.h"

namespace refquake {
namespace {

std::string PrintArg(Arg arg, const OpTable& table) {
  if (arg.is_slot()) return SlotName(arg.slot());
  return table.values()[static_cast<size_t>(arg.value())].text;
}

std::string PrintArgs(const Op& op, size_t first, const OpTable& table) {
  std::string out = "(";
  for (size_t i = first; i < table.op(op.op).nargs; ++i) {
    if (i > first) out += ", ";
    out += PrintArg(op.args[i], table);
  }
  return out + ")";
}

}  // namespace

std::string TextError::ToString(std::string_view file) const {
  return std::string(file) + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + message;
}

std::string PrintSchedule(const Schedule& schedule) {
  switch (schedule.policy) {
    case Policy::kFree:
      break;
    case Policy::kPct:
      return "pct(depth=" + std::to_string(schedule.depth) + ", seed=" + std::to_string(schedule.seed) + ")";
    case Policy::kRandom:
      return "random(seed=" + std::to_string(schedule.seed) + ")";
    case Policy::kReplay: {
      std::string out;
      for (const Switch& s : schedule.switches) {
        out += (out.empty() ? "" : ", ") + std::to_string(s.step) + ">" + std::to_string(s.lane);
      }
      return "replay(" + out + ")";
    }
  }
  return "free";
}

std::string SlotName(int slot) { return std::string(1, static_cast<char>('a' + slot)); }

std::string PrintOp(const Op& op, const OpTable& table) {
  const OpSpec& spec = table.op(op.op);
  std::string self = SlotName(op.args[0].slot() % kSlots);
  std::string out = op.dst == kNoSlot ? "" : SlotName(op.dst) + " = ";
  switch (spec.form) {
    case Form::kCall:
      return out + spec.name + PrintArgs(op, 0, table);
    case Form::kMethod:
      return out + self + "." + spec.name + PrintArgs(op, 1, table);
    case Form::kGet:
      return out + self + "." + spec.name;
    case Form::kSet:
      return self + "." + spec.name + " = " + PrintArg(op.args[1], table);
    case Form::kDelete:
      return "del " + self + "." + spec.name;
    case Form::kCopy:
      return out + self;
    case Form::kDrop:
      return "del " + self;
  }
  return out;
}

std::string PrintText(const Program& program, const OpTable& table, std::string_view profile) {
  std::string out = "target: " + table.target() + "\n";
  if (!profile.empty()) out += "profile: " + std::string(profile) + "\n";
  if (program.schedule.policy != Policy::kFree) out += "schedule: " + PrintSchedule(program.schedule) + "\n";
  for (const Phase& phase : program.phases) {
    out += "phase:\n";
    for (const Lane& lane : phase.lanes) {
      out += "    lane:\n";
      if (lane.empty()) out += "        pass\n";
      for (const Op& op : lane) out += "        " + PrintOp(op, table) + "\n";
    }
  }
  return out;
}

bool LooksLikeText(std::string_view content) {
  if (content.starts_with("target:")) return true;
  // Blanks alone say nothing; libFuzzer's first input is a line feed.
  if (content.find_first_not_of(" \t\r\n") == content.npos) return false;
  if (FindBadByte(content) == content.npos) return true;
  if (!content.starts_with("#")) return false;
  // Bytes may start with '#' too, but go on with a seed and instructions, not with a line of text.
  std::string_view line = content.substr(0, content.find('\n'));
  for (char c : line) {
    if (c >= 0 && c < ' ' && c != '\t' && c != '\r') return false;
  }
  return true;
}

}  // namespace refquake
