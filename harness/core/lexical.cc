#include "core/lexical.h"

#include <array>
#include <cstdint>

#include "core/program.h"

namespace refquake {
namespace {

// Length of the UTF-8 sequence at `pos`; 0 if it is none (overlong, surrogate, too large, cut off).
size_t Utf8Length(std::string_view text, size_t pos) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
  uint32_t first = byte(pos);
  if (first < 0x80) return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(pos + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(pos + i) & 0x3f);
  }
  if (length == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff))) return 0;
  if (length == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
  return length;
}

// The position behind the quoted text that opens at `pos`, or npos.
size_t SkipQuoted(std::string_view line, size_t pos) {
  char quote = line[pos++];
  for (; pos < line.size(); ++pos) {
    if (line[pos] == '\\') {
      ++pos;
    } else if (line[pos] == quote) {
      return pos + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}

bool IsNamePart(char c) { return IsNameStart(c) || (c >= '0' && c <= '9'); }

bool IsName(std::string_view text) {
  if (text.size() > kMaxSpelling || FindBadByte(text) != text.npos) return false;
  bool start = true;
  for (char c : text) {
    if (start ? !IsNameStart(c) : !IsNamePart(c) && c != '.') return false;
    start = c == '.';
  }
  return !start;
}

bool IsSlotName(std::string_view text) { return text.size() == 1 && text[0] >= 'a' && text[0] < 'a' + kSlots; }

bool IsValueText(std::string_view text) {
  if (text.empty() || text.size() > kMaxSpelling || IsSlotName(text)) return false;
  if (text.front() == ' ' || text.back() == ' ') return false;
  if (text.find_first_of("\t\r\n") != text.npos || FindBadByte(text) != text.npos) return false;
  return ScanArgument(text, 0) == text.size();
}

size_t ScanArgument(std::string_view line, size_t pos) {
  std::array<char, kMaxNesting> closers;
  size_t depth = 0;
  while (pos < line.size()) {
    char c = line[pos];
    if (c == '"' || c == '\'') {
      pos = SkipQuoted(line, pos);
      if (pos == line.npos) return pos;
      continue;
    }
    if (c == '#') break;
    if (c == '(' || c == '[' || c == '{') {
      if (depth == kMaxNesting) return line.npos;
      closers[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) return c == ')' ? pos : line.npos;
      if (closers[--depth] != c) return line.npos;
    } else if (c == ',' && depth == 0) {
      break;
    }
    ++pos;
  }
  return depth == 0 ? pos : line.npos;
}

size_t FindBadByte(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    char c = text[pos];
    bool line_end = c == '\n' || (c == '\r' && pos + 1 < text.size() && text[pos + 1] == '\n');
    bool control = (c >= 0 && c < ' ') || c == 0x7f;
    if (control && c != '\t' && !line_end) return pos;
    size_t length = Utf8Length(text, pos);
    if (length == 0) return pos;
    pos += length;
  }
  return text.npos;
}

}  // namespace refquake
