// The words of the text form: what may stand for a name, a value and a slot. The op table refuses
// what could not be written, the parser reads by the same rules, so the two cannot drift apart.
//
//   IsName("gc.collect")              true
//   ScanArgument("[1, 2], b)", 0)     6: the argument ends at the top-level comma
#ifndef REFQUAKE_CORE_LEXICAL_H_
#define REFQUAKE_CORE_LEXICAL_H_

#include <cstddef>
#include <string_view>

namespace refquake {

inline constexpr size_t kMaxSpelling = 200;  // bytes of one name or value; keeps every program below kMaxTextBytes
inline constexpr size_t kMaxNesting = 64;    // brackets inside a value

bool IsNameStart(char c);
bool IsNamePart(char c);
// Identifiers joined by dots.
bool IsName(std::string_view text);
// "a" to "p".
bool IsSlotName(std::string_view text);
// Something that stands where an argument stands, alone and complete, and is no slot.
bool IsValueText(std::string_view text);

// The end of the argument that starts at `pos`: the first comma, closing parenthesis or comment
// outside brackets and quotes, or the end of the line. npos: brackets or quotes do not match, or
// are nested too deeply.
size_t ScanArgument(std::string_view line, size_t pos);

// The first byte that no text program contains: a control character other than tab, line feed and
// carriage return before line feed, or a byte that is not UTF-8. npos: none.
size_t FindBadByte(std::string_view text);

}  // namespace refquake

#endif  // REFQUAKE_CORE_LEXICAL_H_
