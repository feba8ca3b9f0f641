#include "core/generate.h"

#include <algorithm>

namespace refquake {
namespace {

// Below this many objects, creating comes first.
constexpr int kFewObjects = 3;
constexpr uint64_t kCreateBoost = 4;
// Results go to the first slots mostly: programs that use few slots use them together.
constexpr size_t kBusySlots = 6;
// Of 32 arguments, where there are values that provoke: whatever else the argument is known to be.
constexpr size_t kProvocations = 8;
// Of 32 arguments: any value, though trials have shown that others are accepted. Only what is refused takes an op's
// error path, and error paths leak.
constexpr size_t kWrongValues = 1;

bool HasOwner(const OpSpec& spec, int type) {
  return std::find(spec.owners.begin(), spec.owners.end(), type) != spec.owners.end();
}

// One of the slots that `want` accepts, the last written most likely; -1 if there is none.
template <typename Want>
int RecentSlot(Rng& rng, const SlotState& state, Want want) {
  std::array<int, kSlots> found;
  size_t n = 0;
  for (int slot = 0; slot < kSlots; ++slot) {
    if (want(slot)) found[n++] = slot;
  }
  if (n == 0) return -1;
  std::sort(found.begin(), found.begin() + n, [&](int a, int b) {
    return std::pair(state.written[static_cast<size_t>(b)], b) < std::pair(state.written[static_cast<size_t>(a)], a);
  });
  size_t i = 0;
  while (i + 1 < n && rng.Chance(1, 2)) ++i;
  return found[i];
}

// What trials have shown to be accepted: an instance in a slot, or a value. False: nothing of it is at hand.
bool HintedArg(Rng& rng, const ArgHint& hint, const SlotState& state, Arg& arg) {
  const int slot = RecentSlot(rng, state, [&](int s) {
    const int type = state.types[static_cast<size_t>(s)];
    return std::find(hint.types.begin(), hint.types.end(), type) != hint.types.end();
  });
  if (slot >= 0 && (hint.values.empty() || rng.Chance(1, 2))) {
    arg = Arg::Slot(slot);
    return true;
  }
  if (hint.values.empty()) return false;
  arg = Arg::Value(hint.values[rng.Below(hint.values.size())]);
  return true;
}

Arg AnyValue(Rng& rng, const OpTable& table) { return Arg::Value(static_cast<int>(rng.Below(table.values().size()))); }

Arg AnySlot(Rng& rng) { return Arg::Slot(static_cast<int>(rng.Below(kSlots))); }

bool NeedsSelf(const OpSpec& spec) { return spec.form != Form::kCall; }

// Whether a slot holds what the op wants of its self (the first argument, for a call with owners). `sure`: known
// to, else: as far as is known.
bool IsSatisfiable(const OpSpec& spec, const SlotState& state, bool sure) {
  if (!NeedsSelf(spec) && spec.owners.empty()) return true;
  for (int slot = 0; slot < kSlots; ++slot) {
    if (!Fits(spec, state, slot)) continue;
    if (!sure || spec.owners.empty() || HasOwner(spec, state.types[static_cast<size_t>(slot)])) return true;
  }
  return false;
}

int PickOp(Rng& rng, const OpTable& table, KindMask kinds, const SlotState& state) {
  bool blind = rng.Chance(1, 64);
  bool sure = rng.Chance(7, 8);
  uint64_t boost = state.NumLive() < kFewObjects ? kCreateBoost : 1;
  int picked = PickWeighted(rng, table, [&](int i) -> uint64_t {
    const OpSpec& spec = table.op(i);
    if (!(kinds & MaskOf(spec.kind)) || (!blind && !IsSatisfiable(spec, state, sure))) return 0;
    return spec.weight * (spec.kind == OpKind::kCreate ? boost : 1);
  });
  if (picked < 0) picked = PickWeighted(rng, table, [&](int i) { return kinds & MaskOf(table.op(i).kind) ? 1u : 0u; });
  return picked >= 0 ? picked : static_cast<int>(rng.Below(table.ops().size()));
}

uint8_t MakeResult(Rng& rng, const OpSpec& spec, const SlotState& state) {
  if (!spec.has_result) return kNoSlot;
  bool must = spec.form == Form::kCopy || spec.kind == OpKind::kCreate;
  if (!must && rng.Chance(1, 4)) return kNoSlot;
  if (rng.Chance(1, 2)) {  // an empty slot: what is there already stays alive
    for (int slot = 0; slot < kSlots; ++slot) {
      if (!state.IsLive(slot)) return static_cast<uint8_t>(slot);
    }
  }
  return static_cast<uint8_t>(rng.Below(rng.Chance(7, 8) ? kBusySlots : kSlots));
}

Schedule MakeSchedule(Rng& rng, const MutateLimits& limits) {
  Schedule schedule;
  if (limits.max_lanes < 2 || rng.Chance(1, 2)) return schedule;
  schedule.policy = rng.Chance(1, 2) ? Policy::kPct : Policy::kRandom;
  if (schedule.policy == Policy::kPct) schedule.depth = static_cast<uint8_t>(1 + rng.Below(5));
  schedule.seed = static_cast<uint32_t>(rng.Next());
  return schedule;
}

}  // namespace

bool Fits(const OpSpec& spec, const SlotState& state, int slot) {
  if (!state.IsLive(slot)) return false;
  int type = state.types[static_cast<size_t>(slot)];
  return spec.owners.empty() || type == kNoType || HasOwner(spec, type);
}

Arg MakeArg(Rng& rng, const OpTable& table, const OpSpec& spec, size_t i, const SlotState& state) {
  bool self = i == 0 && (NeedsSelf(spec) || !spec.owners.empty());
  size_t dice = rng.Below(32);
  if (dice == 0) return AnySlot(rng);
  if (!self && dice <= kProvocations && !table.provoking().empty()) {
    return Arg::Value(table.provoking()[rng.Below(table.provoking().size())]);
  }
  if (!self && dice > kProvocations && dice <= kProvocations + kWrongValues && !table.values().empty()) {
    return AnyValue(rng, table);
  }
  Arg hinted;
  if (!self && dice < 30 && i < spec.hints.size() && HintedArg(rng, spec.hints[i], state, hinted)) return hinted;
  if (!self && dice < 10 && !table.values().empty()) return AnyValue(rng, table);
  int slot = -1;
  if (self && !spec.owners.empty()) {
    slot = RecentSlot(rng, state, [&](int s) { return HasOwner(spec, state.types[static_cast<size_t>(s)]); });
  }
  if (slot < 0) slot = RecentSlot(rng, state, [&](int s) { return self ? Fits(spec, state, s) : state.IsLive(s); });
  return slot < 0 ? AnySlot(rng) : Arg::Slot(slot);
}

Op MakeOp(Rng& rng, const OpTable& table, KindMask kinds, const SlotState& state) {
  Op op{.op = static_cast<uint16_t>(PickOp(rng, table, kinds, state))};
  const OpSpec& spec = table.op(op.op);
  for (size_t i = 0; i < spec.nargs; ++i) op.args[i] = MakeArg(rng, table, spec, i, state);
  op.dst = MakeResult(rng, spec, state);
  return op;
}

void AppendRun(Rng& rng, const OpTable& table, KindMask kinds, SlotState state, size_t n, Lane& lane) {
  for (; n > 0; --n) {
    lane.push_back(MakeOp(rng, table, kinds, state));
    state.Apply(lane.back(), table);
  }
}

KindMask SwarmKinds(uint64_t seed) {
  Rng rng(seed);
  KindMask kinds = kAllKinds;
  if (rng.Chance(1, 2)) return kinds;
  for (int kind = 0; kind < kOpKinds; ++kind) {
    if (rng.Chance(1, 4)) kinds &= ~MaskOf(static_cast<OpKind>(kind));
  }
  return kinds | MaskOf(OpKind::kCreate);
}

Program Generate(const OpTable& table, const MutateLimits& limits, uint64_t seed) {
  Rng rng(seed);
  Program program;
  KindMask kinds = limits.kinds & SwarmKinds(rng.Next());
  program.schedule = MakeSchedule(rng, limits);
  SlotState state;
  // First something to work on, on one lane; then phases of as many lanes as there may be.
  size_t phases = table.ops().empty() ? 0 : 1 + rng.Below(4);
  for (size_t i = 0; i < phases; ++i) {
    Phase& phase = program.phases.emplace_back();
    size_t most = static_cast<size_t>(i == 0 ? 1 : std::clamp(limits.max_lanes, 1, kMaxLanes));
    phase.lanes.resize(1 + rng.Below(most));
    for (Lane& lane : phase.lanes) AppendRun(rng, table, kinds, state, 1 + rng.Below(8), lane);
    state.Apply(phase, table);
  }
  FitToLimits(program, table, limits);
  return program;
}

}  // namespace refquake
