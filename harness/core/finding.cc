#include "core/finding.h"

namespace refquake {
namespace {

constexpr std::string_view kPrefix = "==refquake== ";

void Field(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out.append(kPrefix).append("  ").append(name).append(":");
  out.append(name.size() < 9 ? 9 - name.size() : 0, ' ').append(" ").append(value).append("\n");
}

}  // namespace

std::string Finding::Summary() const {
  std::string summary = kind + " " + type;
  if (!member.empty()) summary += " " + member;
  return summary;
}

std::string PrintFinding(const Finding& finding, std::string_view schedule, std::string_view program_text,
                         std::string_view artefact) {
  std::string out;
  out.append(kPrefix).append("ERROR: ").append(finding.kind).append(": ").append(finding.type);
  out.append(": ").append(finding.what).append("\n");
  Field(out, "type", finding.type);
  Field(out, "member", finding.member);
  Field(out, "expected", finding.expected);
  Field(out, "found", finding.found);
  for (const std::string& line : finding.history) Field(out, "history", line);
  Field(out, "rule", finding.rule);
  Field(out, "hint", finding.hint);
  Field(out, "schedule", schedule);
  if (!program_text.empty()) out.append(kPrefix).append("PROGRAM:\n").append(program_text);
  if (!artefact.empty()) out.append(kPrefix).append("ARTEFACT: ").append(artefact).append("\n");
  out.append(kPrefix).append("SUMMARY: ").append(finding.Summary()).append("\n");
  return out;
}

}  // namespace refquake
