#include "core/finding.h"

namespace refquake {
namespace {

constexpr std::string_view kPrefix = "==refquake== ";

// Names and representations come from the target: they must not be able to start a line.
std::string OneLine(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if ((c >= 0 && c < ' ') || c == 0x7f) c = ' ';
  }
  return out;
}

void Field(std::string& out, std::string_view name, std::string_view value) {
  constexpr size_t kWidest = 8;  // "expected"
  if (value.empty()) return;
  out.append(kPrefix).append("  ").append(name).append(":").append(kWidest - name.size() + 1, ' ');
  out.append(OneLine(value)).append("\n");
}

}  // namespace

std::string Finding::Summary() const {
  std::string summary = kind + " " + type;
  if (!member.empty()) summary += " " + member;
  return summary;
}

std::string PrintFinding(const Finding& finding, const Evidence& evidence) {
  std::string out;
  out.append(kPrefix).append("ERROR: ").append(OneLine(finding.kind + ": " + finding.type));
  if (!finding.what.empty()) out.append(": ").append(OneLine(finding.what));
  out.append("\n");
  Field(out, "type", finding.type);
  Field(out, "member", finding.member);
  Field(out, "expected", finding.expected);
  Field(out, "found", finding.found);
  for (const std::string& line : finding.history) Field(out, "history", line);
  Field(out, "rule", finding.rule);
  Field(out, "hint", finding.hint);
  Field(out, "phase", evidence.phase);
  Field(out, "schedule", evidence.schedule);
  if (!evidence.program.empty()) {
    out.append(kPrefix).append("PROGRAM:\n").append(evidence.program);
    if (!evidence.program.ends_with('\n')) out.append("\n");
  }
  if (!evidence.artefact.empty()) out.append(kPrefix).append("ARTEFACT: ").append(evidence.artefact).append("\n");
  out.append(kPrefix).append("SUMMARY: ").append(OneLine(finding.Summary())).append("\n");
  return out;
}

}  // namespace refquake
