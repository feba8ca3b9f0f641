#include "core/text_op.h"

#include <array>

namespace refquake {
namespace {

constexpr size_t kShownOps = 5;

struct Word {
  std::string_view text;
  size_t pos = 0;
};

// What an op says, before its names are looked up.
struct Statement {
  Form form = Form::kCall;
  Word name;                        // as written: "a.push", "gc.collect"
  std::string_view attribute;       // the op's name: "push", "gc.collect"
  Word dst;                         // empty: none
  std::array<Word, kMaxArgs> args;  // self included
  size_t nargs = 0;                 // may be more than there is room for

  void AddArg(Word arg) {
    if (nargs < args.size()) args[nargs] = arg;
    ++nargs;
  }
};

// "with 2 arguments", as the author counts: without self.
std::string Count(Form form, size_t nargs) {
  size_t n = form == Form::kMethod ? nargs - 1 : nargs;
  return std::to_string(n);
}

std::string Describe(const OpSpec& spec) {
  switch (spec.form) {
    case Form::kCall:
    case Form::kMethod:
      return spec.name + " with " + Count(spec.form, spec.nargs);
    case Form::kGet:
      return spec.name + " to get";
    case Form::kSet:
      return spec.name + " to set";
    default:
      return spec.name + " to delete";
  }
}

// The ops an author may have meant: of the same name, else of the same last part of it.
std::string Alternatives(const Statement& s, const OpTable& table) {
  if (s.attribute.empty()) return "";
  std::vector<int> known = table.Named(s.attribute);
  if (known.empty()) known = table.Named(s.attribute.substr(s.attribute.rfind('.') + 1));
  std::string out;
  for (size_t i = 0; i < known.size() && i < kShownOps; ++i) {
    out += (out.empty() ? "; it has " : ", ") + Describe(table.op(known[i]));
  }
  return out;
}

bool FailUnknown(Cursor& cursor, const Statement& s, const OpTable& table) {
  std::string what = "no op " + Quote(s.name.text);
  switch (s.form) {
    case Form::kCall:
    case Form::kMethod:
      what += " with " + Count(s.form, s.nargs) + (Count(s.form, s.nargs) == "1" ? " argument" : " arguments");
      break;
    case Form::kGet:
      what += " to get";
      break;
    case Form::kSet:
      what += " to set";
      break;
    case Form::kDelete:
      what += " to delete";
      break;
    case Form::kCopy:
      what = "no op to copy a slot";
      break;
    case Form::kDrop:
      what = "no op to drop a slot";
      break;
  }
  return cursor.FailAt(s.name.pos, what + " in target " + table.target() + Alternatives(s, table));
}

bool FailSlot(Cursor& cursor, Word word) {
  return cursor.FailAt(word.pos, "unknown slot " + Quote(word.text) + ": slots are a to " + SlotName(kSlots - 1));
}

bool Resolve(Cursor& cursor, const Statement& s, const OpTable& table, Op& op) {
  int index = table.Find(s.form, s.attribute, static_cast<int>(s.nargs));
  if (index < 0) return FailUnknown(cursor, s, table);
  op = Op{.op = static_cast<uint16_t>(index)};
  if (!s.dst.text.empty()) {
    if (!IsSlotName(s.dst.text)) return FailSlot(cursor, s.dst);
    if (!table.op(index).has_result) return cursor.FailAt(s.dst.pos, Quote(s.name.text) + " has no result to assign");
    op.dst = static_cast<uint8_t>(s.dst.text[0] - 'a');
  }
  for (size_t i = 0; i < s.nargs; ++i) {
    Word arg = s.args[i];
    int value = table.FindValue(arg.text);
    if (IsSlotName(arg.text)) {
      op.args[i] = Arg::Slot(arg.text[0] - 'a');
    } else if (value >= 0) {
      op.args[i] = Arg::Value(value);
    } else {
      return cursor.FailAt(arg.pos, "unknown argument " + Quote(arg.text) + ": neither a slot (a to " +
                                        SlotName(kSlots - 1) + ") nor a value of target " + table.target());
    }
  }
  return true;
}

// Splits "a.next" into self and attribute; false if it does not start with a slot and a dot.
bool SplitSelf(Statement& s) {
  size_t dot = s.name.text.find('.');
  s.attribute = s.name.text;
  if (dot == s.name.text.npos || !IsSlotName(s.name.text.substr(0, dot))) return false;
  s.AddArg({s.name.text.substr(0, dot), s.name.pos});
  s.attribute = s.name.text.substr(dot + 1);
  return true;
}

Word ReadName(Cursor& cursor) {
  cursor.SkipBlanks();
  size_t pos = cursor.pos();
  return {cursor.Name(), pos};
}

// The arguments behind "(".
bool ParseCallArgs(Cursor& cursor, Statement& s) {
  if (cursor.Eat(')')) return true;
  while (true) {
    cursor.SkipBlanks();
    size_t pos = cursor.pos();
    std::string_view text = cursor.Argument();
    if (cursor.error()) return false;
    s.AddArg({text, pos});
    if (cursor.Eat(')')) return true;
    if (!cursor.Eat(',')) return cursor.Fail("expected ',' or ')'");
  }
}

// What may stand alone or behind "a =": NAME(...), a.NAME(...), a.NAME, and behind "a =" also a slot.
bool ParseExpression(Cursor& cursor, Statement& s) {
  if (s.name.text.empty()) return cursor.FailAt(s.name.pos, "expected a name or a slot");
  bool has_self = SplitSelf(s);
  if (cursor.Eat('(')) {
    s.form = has_self ? Form::kMethod : Form::kCall;
    return ParseCallArgs(cursor, s);
  }
  if (has_self) {
    s.form = Form::kGet;
    return true;
  }
  size_t dot = s.name.text.find('.');
  if (dot != s.name.text.npos) return FailSlot(cursor, {s.name.text.substr(0, dot), s.name.pos});
  if (s.dst.text.empty()) return cursor.FailAt(s.name.pos, "expected an op, found " + Quote(s.name.text));
  if (!IsSlotName(s.name.text)) {
    return cursor.FailAt(s.name.pos, "expected a slot, an attribute or a call behind '=', found " + Quote(s.name.text));
  }
  s.form = Form::kCopy;
  s.attribute = {};
  s.AddArg(s.name);
  return true;
}

// Behind "del": a slot or an attribute.
bool ParseDelete(Cursor& cursor, Statement& s) {
  s.name = ReadName(cursor);
  s.form = Form::kDelete;
  if (SplitSelf(s)) return true;
  if (!IsSlotName(s.name.text)) return FailSlot(cursor, {s.name.text.substr(0, s.name.text.find('.')), s.name.pos});
  s.form = Form::kDrop;
  s.attribute = {};
  s.AddArg(s.name);
  return true;
}

// Behind "a.NAME =".
bool ParseSet(Cursor& cursor, Statement& s) {
  s.form = Form::kSet;
  if (!SplitSelf(s)) return FailSlot(cursor, {s.name.text.substr(0, s.name.text.find('.')), s.name.pos});
  cursor.SkipBlanks();
  size_t pos = cursor.pos();
  std::string_view text = cursor.Argument();
  s.AddArg({text, pos});
  return !cursor.error();
}

bool ParseStatement(Cursor& cursor, Statement& s) {
  s.name = ReadName(cursor);
  if (s.name.text == "del") return ParseDelete(cursor, s);
  if (s.name.text.empty() || !cursor.Eat('=')) return ParseExpression(cursor, s);
  if (s.name.text.find('.') != s.name.text.npos) return ParseSet(cursor, s);
  s.dst = s.name;
  s.name = ReadName(cursor);
  return ParseExpression(cursor, s);
}

}  // namespace

bool ParseOp(Cursor& cursor, const OpTable& table, Op& op) {
  Statement s;
  if (!ParseStatement(cursor, s)) return false;
  if (!cursor.AtEnd()) return cursor.Fail("unexpected " + Quote(cursor.Rest()) + " behind the op");
  return Resolve(cursor, s, table, op);
}

}  // namespace refquake
