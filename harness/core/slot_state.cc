#include "core/slot_state.h"

#include <algorithm>

namespace refquake {
namespace {

int ResultType(const SlotState& state, const Op& op, const OpSpec& spec) {
  return spec.form == Form::kCopy ? state.types[op.args[0].code] : spec.result_type;
}

}  // namespace

void SlotState::Apply(const Op& op, const OpTable& table) {
  const OpSpec& spec = table.op(op.op);
  ++step;
  if (spec.form == Form::kDrop) {
    types[op.args[0].code] = kEmptySlot;
    written[op.args[0].code] = step;
  }
  if (op.dst == kNoSlot) return;
  types[op.dst] = ResultType(*this, op, spec);
  written[op.dst] = step;
}

void SlotState::Apply(const Phase& phase, const OpTable& table) {
  const SlotState start = *this;
  for (const Lane& lane : phase.lanes) {
    SlotState own = start;
    for (const Op& op : lane) own.Apply(op, table);
    for (size_t slot = 0; slot < kSlots; ++slot) {
      if (own.written[slot] <= start.step) continue;
      types[slot] = own.types[slot];
      written[slot] = own.written[slot];
    }
    step = std::max(step, own.step);
  }
}

int SlotState::NumLive() const { return static_cast<int>(kSlots - std::count(types.begin(), types.end(), kEmptySlot)); }

SlotState StateBefore(const Program& program, const Place& place, const OpTable& table) {
  SlotState state;
  for (size_t i = 0; i < place.phase; ++i) state.Apply(program.phases[i], table);
  if (place.phase == program.phases.size()) return state;
  const std::vector<Lane>& lanes = program.phases[place.phase].lanes;
  if (place.lane >= lanes.size()) return state;
  for (size_t i = 0; i < place.index; ++i) state.Apply(lanes[place.lane][i], table);
  return state;
}

}  // namespace refquake
