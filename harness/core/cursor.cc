#include "core/cursor.h"

namespace refquake {

std::string Quote(std::string_view text) {
  constexpr size_t kShown = 60;
  if (text.size() <= kShown) return "'" + std::string(text) + "'";
  size_t end = kShown;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "...'";
}

void Cursor::SkipBlanks() {
  while (Peek() == ' ' || Peek() == '\t') ++pos_;
}

int Cursor::SkipIndent() {
  int columns = 0;
  for (; Peek() == ' ' || Peek() == '\t'; ++pos_) columns = Peek() == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
  return columns;
}

std::string_view Cursor::Rest() {
  SkipBlanks();
  return line_.substr(pos_);
}

bool Cursor::AtEnd() {
  SkipBlanks();
  return pos_ == line_.size() || line_[pos_] == '#';
}

bool Cursor::Eat(char c) { return Eat(std::string_view(&c, 1)); }

bool Cursor::Eat(std::string_view text) {
  if (!Rest().starts_with(text)) return false;
  pos_ += text.size();
  return true;
}

std::string_view Cursor::Name() {
  SkipBlanks();
  size_t start = pos_;
  while (IsNameStart(Peek())) {
    while (IsNamePart(Peek())) ++pos_;
    bool more = Peek() == '.' && pos_ + 1 < line_.size() && IsNameStart(line_[pos_ + 1]);
    if (!more) break;
    ++pos_;
  }
  return line_.substr(start, pos_ - start);
}

std::string_view Cursor::Argument() {
  SkipBlanks();
  size_t start = pos_;
  size_t end = ScanArgument(line_, pos_);
  if (end == line_.npos) {
    Fail("brackets or quotes do not match, or are nested too deeply");
    return {};
  }
  pos_ = end;
  std::string_view text = line_.substr(start, end - start);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  if (text.empty()) FailAt(start, "expected an argument");
  return text;
}

bool Cursor::Number(uint32_t max, uint32_t& value) {
  SkipBlanks();
  size_t start = pos_;
  uint64_t number = 0;
  for (; Peek() >= '0' && Peek() <= '9'; ++pos_) {
    if (number <= max) number = number * 10 + static_cast<uint64_t>(Peek() - '0');
  }
  if (pos_ == start || number > max) return FailAt(start, "expected a number from 0 to " + std::to_string(max));
  value = static_cast<uint32_t>(number);
  return true;
}

bool Cursor::FailAt(size_t pos, std::string message) {
  if (!error_) error_ = TextError{number_, static_cast<int>(pos) + 1, std::move(message)};
  return false;
}

}  // namespace refquake
