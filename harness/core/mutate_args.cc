// Mutators that change one op where it stands.
#include <algorithm>

#include "core/generate.h"
#include "core/mutation.h"

namespace refquake {
namespace {

bool ShareOwner(const OpSpec& a, const OpSpec& b) {
  return std::find_first_of(a.owners.begin(), a.owners.end(), b.owners.begin(), b.owners.end()) != a.owners.end();
}

}  // namespace

bool ChangeArgument(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place) return false;
  Op& op = m.OpAt(*place);
  const OpSpec& spec = m.table.op(op.op);
  if (spec.nargs == 0) return false;
  size_t i = m.rng.Below(spec.nargs);
  op.args[i] = MakeArg(m.rng, m.table, spec, i, StateBefore(m.program, *place, m.table));
  return true;
}

bool ChangeResult(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place) return false;
  Op& op = m.OpAt(*place);
  const OpSpec& spec = m.table.op(op.op);
  if (!spec.has_result) return false;
  bool drop = spec.form != Form::kCopy && op.dst != kNoSlot && m.rng.Chance(1, 4);
  op.dst = drop ? kNoSlot : static_cast<uint8_t>(m.rng.Below(kSlots));
  return true;
}

bool ReplaceOp(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place) return false;
  Op& op = m.OpAt(*place);
  const OpSpec& old = m.table.op(op.op);
  int picked = PickWeighted(m.rng, m.table, [&](int i) -> uint64_t {
    const OpSpec& spec = m.table.op(i);
    bool related = spec.kind == old.kind || ShareOwner(spec, old);
    return i != op.op && related && (m.kinds & MaskOf(spec.kind)) ? spec.weight : 0;
  });
  if (picked < 0) return false;
  SlotState state = StateBefore(m.program, *place, m.table);
  const OpSpec& spec = m.table.op(picked);
  op.op = static_cast<uint16_t>(picked);
  // Self stays who it was, where it may; arguments that are new are made.
  for (size_t i = old.nargs; i < spec.nargs; ++i) op.args[i] = MakeArg(m.rng, m.table, spec, i, state);
  return true;
}

}  // namespace refquake
