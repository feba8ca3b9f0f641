// The mutator that makes lanes meet: an op, and the same or its rival on the same object in another lane.
#include <algorithm>

#include "core/generate.h"
#include "core/mutation.h"

namespace refquake {
namespace {

constexpr uint64_t kSameAttribute = 8;  // set against get and delete of one attribute: the closest rivals
constexpr uint64_t kOpposite = 4;       // link against unlink, read, drop
constexpr uint64_t kOther = 1;
// Rivals in a row: a check that a change and its undoing slip past needs both in one window.
constexpr size_t kMostRivals = 3;

bool OnAttribute(Form form) { return form == Form::kGet || form == Form::kSet || form == Form::kDelete; }

// Whether both change the object, or one changes what the other uses.
bool Oppose(OpKind a, OpKind b) {
  auto changes = [](OpKind kind) { return kind == OpKind::kLink || kind == OpKind::kUnlink || kind == OpKind::kDrop; };
  return a != b && (changes(a) || changes(b));
}

// An object that two lanes can both reach: the op's first argument in a slot, or none.
int SharedSlot(const Op& op, const OpSpec& spec) {
  for (size_t i = 0; i < spec.nargs; ++i) {
    if (op.args[i].is_slot()) return op.args[i].slot();
  }
  return -1;
}

// Whether the slot holds another object behind the op, or none.
bool Writes(const Op& op, int slot, const OpTable& table) {
  return op.dst == slot || (table.op(op.op).form == Form::kDrop && op.args[0].slot() == slot);
}

bool IsWrittenBefore(const Lane& lane, size_t index, int slot, const OpTable& table) {
  return std::any_of(lane.begin(), lane.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const Op& op) { return Writes(op, slot, table); });
}

// An op that meets `op` on the object in `slot`; the same op if there is none.
Op MakeRival(Mutation& m, const Op& op, int slot, const SlotState& state) {
  const OpSpec& spec = m.table.op(op.op);
  int picked = PickWeighted(m.rng, m.table, [&](int i) -> uint64_t {
    const OpSpec& other = m.table.op(i);
    if (i == op.op || other.kind == OpKind::kCreate || !(m.kinds & MaskOf(other.kind))) return 0;
    if (other.kind == OpKind::kCollect) return kOther;  // visits every object
    if (other.nargs == 0 || !Fits(other, state, slot)) return 0;
    if (OnAttribute(spec.form) && OnAttribute(other.form) && spec.name == other.name) return kSameAttribute;
    return Oppose(spec.kind, other.kind) ? kOpposite : kOther;
  });
  if (picked < 0) return op;
  Op rival{.op = static_cast<uint16_t>(picked)};
  const OpSpec& other = m.table.op(picked);
  for (size_t i = 1; i < other.nargs; ++i) rival.args[i] = MakeArg(m.rng, m.table, other, i, state);
  rival.args[0] = Arg::Slot(slot);
  if (other.has_result && m.rng.Chance(1, 2)) rival.dst = static_cast<uint8_t>(m.rng.Below(kSlots));
  return rival;
}

}  // namespace

bool Collide(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place || m.limits.max_lanes < 2 || m.Room() == 0) return false;
  const Op op = m.OpAt(*place);
  int slot = SharedSlot(op, m.table.op(op.op));
  // What a lane made itself the others do not see before the next barrier: put one there.
  if (slot >= 0 && IsWrittenBefore(m.LaneAt(*place), place->index, slot, m.table)) place = m.SplitLane(*place);
  SlotState start = StateBefore(m.program, {.phase = place->phase}, m.table);
  Place there{.phase = place->phase, .lane = m.PickOtherLane(*place)};
  // Before that lane writes the slot itself, or it would be another object.
  Lane& lane = m.LaneAt(there);
  size_t last = 0;
  while (last < lane.size() && (slot < 0 || !IsWrittenBefore(lane, last + 1, slot, m.table))) ++last;
  there.index = m.rng.Below(last + 1);
  for (size_t n = 0; n < kMostRivals && m.Room() > 0; ++n) {
    const Op rival = slot < 0 || m.rng.Chance(1, 3) ? op : MakeRival(m, op, slot, start);
    m.Insert(there, rival);
    ++there.index;
    if (slot < 0 || Writes(rival, slot, m.table) || m.rng.Chance(1, 2)) break;
  }
  return true;
}

}  // namespace refquake
