#include "core/program.h"

#include <algorithm>
#include <utility>

namespace refquake {
namespace {

void CanonicalizeSchedule(Schedule& schedule) {
  bool pct = schedule.policy == Policy::kPct;
  bool replay = schedule.policy == Policy::kReplay;
  if (!pct) schedule.depth = 0;
  if (pct && schedule.depth == 0) schedule.depth = 1;
  if (!pct && schedule.policy != Policy::kRandom) schedule.seed = 0;
  if (!replay) schedule.switches.clear();
  if (schedule.switches.size() > kMaxSwitches) schedule.switches.resize(kMaxSwitches);
  for (Switch& s : schedule.switches) s.lane %= kMaxLanes;
  DropDeadSwitches(schedule.switches);
}

// Returns how many of the `room` ops allowed are left.
size_t CanonicalizePhase(Phase& phase, const OpTable& table, size_t room) {
  for (size_t i = kMaxLanes; i < phase.lanes.size(); ++i) {
    Lane& home = phase.lanes[i % kMaxLanes];
    home.insert(home.end(), phase.lanes[i].begin(), phase.lanes[i].end());
  }
  if (phase.lanes.size() > kMaxLanes) phase.lanes.resize(kMaxLanes);
  for (Lane& lane : phase.lanes) {
    if (lane.size() > room) lane.resize(room);
    room -= lane.size();
    for (Op& op : lane) CanonicalizeOp(op, table);
  }
  while (!phase.lanes.empty() && phase.lanes.back().empty()) phase.lanes.pop_back();
  return room;
}

}  // namespace

size_t Program::NumOps() const {
  size_t n = 0;
  for (const Phase& phase : phases) {
    for (const Lane& lane : phase.lanes) n += lane.size();
  }
  return n;
}

int Program::MaxLanes() const {
  size_t n = 0;
  for (const Phase& phase : phases) n = std::max(n, phase.lanes.size());
  return static_cast<int>(n);
}

void CanonicalizeOp(Op& op, const OpTable& table) {
  op.op = static_cast<uint16_t>(op.op % table.ops().size());
  const OpSpec& spec = table.op(op.op);
  bool keep = spec.form == Form::kCopy || (spec.has_result && op.dst < 128);
  op.dst = keep ? op.dst % kSlots : kNoSlot;
  size_t values = table.values().size();
  for (size_t i = 0; i < op.args.size(); ++i) {
    Arg& arg = op.args[i];
    bool may_be_value = values > 0 && (i > 0 || spec.form == Form::kCall);
    if (i >= spec.nargs) {
      arg = Arg{};
    } else if (arg.is_slot() || !may_be_value) {
      arg.code %= kSlots;
    } else {
      arg = Arg::Value(static_cast<int>(static_cast<size_t>(arg.value()) % values));
    }
  }
}

void Canonicalize(Program& program, const OpTable& table) {
  CanonicalizeSchedule(program.schedule);
  if (table.ops().empty()) program.phases.clear();
  size_t room = kMaxOps;
  for (Phase& phase : program.phases) room = CanonicalizePhase(phase, table, room);
  std::erase_if(program.phases, [](const Phase& phase) { return phase.lanes.empty(); });
}

void DropDeadSwitches(std::vector<Switch>& switches) {
  int last = -1;
  std::erase_if(switches, [&](const Switch& s) {
    const bool dead = s.step <= last;
    if (!dead) last = s.step;
    return dead;
  });
}

bool IsCanonical(const Program& program, const OpTable& table) {
  Program canonical = program;
  Canonicalize(canonical, table);
  return canonical == program;
}

}  // namespace refquake
