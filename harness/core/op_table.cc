#include "core/op_table.h"

#include <algorithm>
#include <utility>

#include "core/lexical.h"

namespace refquake {
namespace {

constexpr size_t kMaxTableOps = 1 << 16;  // Op::op has 16 bits
constexpr size_t kMaxValues = 128;        // Arg::code has 7 bits for them

// Forms with one shape have it here, not at each place that adds one.
void FixShape(OpSpec& spec) {
  switch (spec.form) {
    case Form::kCall:
    case Form::kMethod:
      return;
    case Form::kGet:
      spec.nargs = 1;
      return;
    case Form::kSet:
      spec.nargs = 2;
      spec.has_result = false;
      return;
    case Form::kCopy:
      spec.nargs = 1;
      spec.has_result = true;
      return;
    case Form::kDelete:
    case Form::kDrop:
      spec.nargs = 1;
      spec.has_result = false;
      return;
  }
}

// Whether programs can say it so that it is read back as the same op.
bool IsWritable(const OpSpec& spec) {
  if (spec.nargs > kMaxArgs) return false;
  if (spec.form == Form::kCopy || spec.form == Form::kDrop) return spec.name.empty();
  if (!IsName(spec.name)) return false;
  if (spec.form == Form::kMethod) return spec.nargs >= 1;
  if (spec.form != Form::kCall) return true;
  size_t dot = spec.name.find('.');  // "a.push(b)" is the method push of slot a
  return spec.name != "del" && (dot == std::string::npos || !IsSlotName(std::string_view(spec.name).substr(0, dot)));
}

void Unite(std::vector<int>& numbers, const std::vector<int>& more) {
  for (int number : more) {
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
  }
}

}  // namespace

void OpTable::Merge(OpSpec& known, const OpSpec& more) {
  // No owners: any type will do. The same holds for a hint that is empty or not there.
  if (more.owners.empty()) known.owners.clear();
  if (!known.owners.empty()) Unite(known.owners, more.owners);
  if (more.hints.size() < known.hints.size()) known.hints.resize(more.hints.size());
  for (size_t i = 0; i < known.hints.size(); ++i) {
    if (more.hints[i].empty()) known.hints[i] = {};
    if (known.hints[i].empty()) continue;
    Unite(known.hints[i].values, more.hints[i].values);
    Unite(known.hints[i].types, more.hints[i].types);
  }
  if (known.result_type != more.result_type) known.result_type = kNoType;
}

int OpTable::AddType(std::string name) {
  auto it = std::find(types_.begin(), types_.end(), name);
  if (it == types_.end()) it = types_.insert(it, std::move(name));
  return static_cast<int>(it - types_.begin());
}

int OpTable::Add(OpSpec spec) {
  FixShape(spec);
  if (!IsWritable(spec)) return -1;
  int known = Find(spec.form, spec.name, spec.nargs);
  if (known >= 0) {
    Merge(ops_[static_cast<size_t>(known)], spec);
    return known;
  }
  if (ops_.size() == kMaxTableOps) return -1;
  int index = static_cast<int>(ops_.size());
  index_.emplace(std::tuple(spec.form, spec.name, static_cast<int>(spec.nargs)), index);
  ops_.push_back(std::move(spec));
  return index;
}

int OpTable::AddValue(ValueSpec value) {
  if (!IsValueText(value.text)) return -1;
  int known = FindValue(value.text);
  if (known >= 0) return known;
  if (values_.size() == kMaxValues) return -1;
  const int index = static_cast<int>(values_.size());
  if (value.provokes) provoking_.push_back(index);
  values_.push_back(std::move(value));
  return index;
}

int OpTable::Find(Form form, std::string_view name, int nargs) const {
  auto it = index_.find(std::tuple(form, name, nargs));
  return it == index_.end() ? -1 : it->second;
}

int OpTable::FindValue(std::string_view text) const {
  auto it = std::find_if(values_.begin(), values_.end(), [&](const ValueSpec& v) { return v.text == text; });
  return it == values_.end() ? -1 : static_cast<int>(it - values_.begin());
}

std::vector<int> OpTable::Named(std::string_view name) const {
  std::vector<int> found;
  for (size_t i = 0; i < ops_.size(); ++i) {
    if (ops_[i].name == name) found.push_back(static_cast<int>(i));
  }
  return found;
}

}  // namespace refquake
