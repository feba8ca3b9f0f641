// The op table: what the programs of one target may do.
//
// Filled once by discovery (python/discover.h) and read-only afterwards. Pure data: names and
// shapes, nothing of the interpreter, so programs can be decoded, printed and mutated without one.
//
//   OpTable table;
//   int node = table.AddType("Node");
//   table.Add({.form = Form::kCall, .kind = OpKind::kCreate, .name = "Node", .result_type = node});
//   table.Add({.form = Form::kSet, .kind = OpKind::kLink, .name = "next", .nargs = 2, .owners = {node}});
//
// Contract: (form, name, nargs) is unique; Add() of a duplicate adds its owners and hints to the first one
// and returns that one's index. What
// no program could name gives -1: more than kMaxArgs arguments, a name that is no (dotted) identifier,
// a value whose brackets do not match, a table that is full.
#ifndef REFQUAKE_CORE_OP_TABLE_H_
#define REFQUAKE_CORE_OP_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace refquake {

// How an op is written and executed.
enum class Form : uint8_t { kCall, kMethod, kGet, kSet, kDelete, kCopy, kDrop };

// What an op does to the object graph; profiles and swarm choose by it.
enum class OpKind : uint8_t { kCreate, kLink, kUnlink, kRead, kCall, kCopy, kDrop, kCollect };

inline constexpr int kMaxArgs = 4;  // self included
inline constexpr int kNoType = -1;     // not known
inline constexpr int kOtherType = -3;  // known to be none of the target's types (-2: slot_state.h)

// Which arguments an op is known to accept; an empty hint: anything may do.
struct ArgHint {
  std::vector<int> values;
  std::vector<int> types;
  bool empty() const { return values.empty() && types.empty(); }
  bool operator==(const ArgHint&) const = default;
};

struct OpSpec {
  Form form = Form::kCall;
  OpKind kind = OpKind::kCall;
  std::string name;           // "Node", "next", "gc.collect"; empty for copy and drop
  uint8_t nargs = 0;          // self included for method, get, set, delete, copy, drop
  bool has_result = false;    // may be assigned to a slot
  std::vector<int> owners;    // types that self must be one of; empty: any
  int result_type = kNoType;  // type of the result where it is known
  uint32_t weight = 1;        // how often the mutator chooses it, relative to the others
  std::vector<ArgHint> hints;  // for each argument, self included; may be shorter than nargs
  bool operator==(const OpSpec&) const = default;
};

// A value is an argument made afresh at each use.
struct ValueSpec {
  std::string text;       // as written in a program: "None", "10**40", "Value()", "Node()"
  int type = kNoType;     // the type under test it is an instance of, if any
  bool immortal = false;  // an extra DECREF of it is invisible
  bool provokes = false;  // made to run code at awkward moments; worth trying where nothing of the kind is expected
  bool operator==(const ValueSpec&) const = default;
};

class OpTable {
 public:
  // `target` is the module's name, as written behind "target:".
  explicit OpTable(std::string target = "") : target_(std::move(target)) {}

  const std::string& target() const { return target_; }
  int AddType(std::string name);
  int Add(OpSpec spec);  // get, set, delete, copy and drop have one shape: nargs is set for them
  int AddValue(ValueSpec value);

  // Index of the op, or -1.
  int Find(Form form, std::string_view name, int nargs) const;
  // Index of the value with that text, or -1.
  int FindValue(std::string_view text) const;
  // Ops with that name, of any form and number of arguments: for error messages.
  std::vector<int> Named(std::string_view name) const;

  const std::vector<OpSpec>& ops() const { return ops_; }
  const std::vector<ValueSpec>& values() const { return values_; }
  const std::vector<int>& provoking() const { return provoking_; }  // values that provoke
  const std::vector<std::string>& types() const { return types_; }
  const OpSpec& op(int i) const { return ops_[static_cast<size_t>(i)]; }

 private:
  static void Merge(OpSpec& known, const OpSpec& more);

  std::string target_;
  std::vector<std::string> types_;
  std::vector<OpSpec> ops_;
  std::vector<ValueSpec> values_;
  std::vector<int> provoking_;
  std::map<std::tuple<Form, std::string, int>, int, std::less<>> index_;
};

}  // namespace refquake

#endif  // REFQUAKE_CORE_OP_TABLE_H_
