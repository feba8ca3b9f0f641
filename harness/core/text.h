// The text form of a program, for people and for git: near-Python, names and no op numbers.
// The grammar is in docs/architecture.md, "Text".
//
//   std::string text = PrintText(p, table, "threads");
//   ParsedText parsed = ParseText(text, table);
//   if (parsed.error) std::cerr << parsed.error->ToString("a.prog");   // a.prog:7:13: no op ...
//
// Contract: ParseText(PrintText(p)) == p for every canonical p. Hostile input (NUL, bad UTF-8, huge,
// deep) gives an error with line and column; memory stays proportional to the input.
#ifndef REFQUAKE_CORE_TEXT_H_
#define REFQUAKE_CORE_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "core/program.h"

namespace refquake {

struct TextError {
  int line = 0;    // from 1
  int column = 0;  // from 1, in bytes
  std::string message;
  std::string ToString(std::string_view file) const;  // "file:line:column: message"
};

struct ParsedText {
  Program program;
  std::string profile;  // as written; empty if not
  std::optional<TextError> error;
};

inline constexpr size_t kMaxTextBytes = 1 << 20;

std::string PrintText(const Program& program, const OpTable& table, std::string_view profile);
// One op as text, without indentation: "a = b.next".
std::string PrintOp(const Op& op, const OpTable& table);
// A schedule as it stands behind "schedule:".
std::string PrintSchedule(const Schedule& schedule);
std::string SlotName(int slot);
ParsedText ParseText(std::string_view text, const OpTable& table);
// True if a file's content is meant as a text program rather than as bytes: "target:" or a comment stands at its
// start, or all of it is printable. Encoded programs never are: their header ends in zero bytes.
bool LooksLikeText(std::string_view content);

}  // namespace refquake

#endif  // REFQUAKE_CORE_TEXT_H_
