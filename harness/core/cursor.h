// A place in one line of a text program, and the first error met there.
//
//   Cursor cursor("a = Node()  # comment", 7);
//   std::string_view name = cursor.Name();
//   if (!cursor.Eat('=')) return cursor.Fail("expected '='");
//
// Contract: never reads outside the line; the first Fail() wins.
#ifndef REFQUAKE_CORE_CURSOR_H_
#define REFQUAKE_CORE_CURSOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/lexical.h"
#include "core/text.h"

namespace refquake {

// Text of the user's for an error message: quoted, shortened, cut between characters.
std::string Quote(std::string_view text);

class Cursor {
 public:
  Cursor(std::string_view line, int number) : line_(line), number_(number) {}

  size_t pos() const { return pos_; }
  std::string_view line() const { return line_; }
  char Peek() const { return pos_ < line_.size() ? line_[pos_] : '\0'; }
  // The rest of the line: without leading blanks, comment included.
  std::string_view Rest();
  void SkipBlanks();
  // Columns of leading blanks skipped; a tab goes to the next multiple of 8.
  int SkipIndent();
  bool AtEnd();      // blanks and a comment may follow
  bool Eat(char c);  // skips blanks, then c
  bool Eat(std::string_view text);
  std::string_view Name();      // a dotted name, or nothing
  std::string_view Argument();  // up to a comma, parenthesis, comment; nothing (and an error) if malformed
  // A decimal number up to `max`.
  bool Number(uint32_t max, uint32_t& value);

  // Records the error (at the current position unless told) and returns false.
  bool Fail(std::string message) { return FailAt(pos_, std::move(message)); }
  bool FailAt(size_t pos, std::string message);
  const std::optional<TextError>& error() const { return error_; }

 private:
  std::string_view line_;
  int number_;
  size_t pos_ = 0;
  std::optional<TextError> error_;
};

}  // namespace refquake

#endif  // REFQUAKE_CORE_CURSOR_H_
