#include "core/mutate.h"

#include <algorithm>
#include <array>

#include "core/mutation.h"

namespace refquake {
namespace {

struct Entry {
  std::string_view name;
  bool (*apply)(Mutation&);
  size_t weight;  // how often it is tried, relative to the others
};

// In the order of Mutator.
constexpr std::array<Entry, kMutators> kEntries = {{
    {"insert", InsertOp, 4},
    {"remove", RemoveOps, 3},
    {"duplicate", DuplicateOp, 1},
    {"move", MoveOp, 1},
    {"swap", SwapOps, 1},
    {"argument", ChangeArgument, 4},
    {"result", ChangeResult, 1},
    {"replace", ReplaceOp, 2},
    {"collide", Collide, 3},
    {"split", SplitPhase, 1},
    {"merge", MergePhases, 1},
    {"barrier", CrossBarrier, 1},
    {"lane", ChangeLane, 1},
    {"grow", Grow, 2},
    {"schedule", ChangeSchedule, 2},
}};

Mutator PickMutator(Rng& rng, MutatorMask mask) {
  size_t total = 0;
  for (size_t i = 0; i < kEntries.size(); ++i) total += mask >> i & 1 ? kEntries[i].weight : 0;
  size_t rest = rng.Below(total);
  size_t i = 0;
  for (;; ++i) {
    size_t weight = mask >> i & 1 ? kEntries[i].weight : 0;
    if (rest < weight) return static_cast<Mutator>(i);
    rest -= weight;
  }
}

// The swarm is inherited: what a program leaves out it goes on leaving out, mostly.
KindMask InheritedKinds(const Program& program, const OpTable& table, KindMask allowed, Rng& rng) {
  if (program.phases.empty() || rng.Chance(1, 2)) return allowed;
  KindMask present = MaskOf(OpKind::kCreate);
  for (const Phase& phase : program.phases) {
    for (const Lane& lane : phase.lanes) {
      for (const Op& op : lane) present |= MaskOf(table.op(op.op).kind);
    }
  }
  return present & allowed;
}

void DropOpsBehind(Program& program, size_t room) {
  for (Phase& phase : program.phases) {
    for (Lane& lane : phase.lanes) {
      if (lane.size() > room) lane.resize(room);
      room -= lane.size();
    }
  }
}

}  // namespace

std::string_view MutatorName(Mutator mutator) { return kEntries[static_cast<size_t>(mutator)].name; }

std::optional<Mutator> MutatorNamed(std::string_view name) {
  for (size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].name == name) return static_cast<Mutator>(i);
  }
  return std::nullopt;
}

void FitToLimits(Program& program, const OpTable& table, const MutateLimits& limits) {
  auto lanes = static_cast<size_t>(std::clamp(limits.max_lanes, 1, kMaxLanes));
  for (Phase& phase : program.phases) {
    for (size_t i = lanes; i < phase.lanes.size(); ++i) {
      Lane& home = phase.lanes[i % lanes];
      home.insert(home.end(), phase.lanes[i].begin(), phase.lanes[i].end());
    }
    if (phase.lanes.size() > lanes) phase.lanes.resize(lanes);
  }
  DropOpsBehind(program, limits.max_ops);
  Canonicalize(program, table);
  std::vector<Switch>& switches = program.schedule.switches;
  size_t room = limits.max_ops - std::min(limits.max_ops, program.NumOps());
  if (switches.size() > room) switches.resize(room);
  for (Switch& s : switches) s.lane = static_cast<uint8_t>(s.lane % lanes);
}

std::optional<Mutator> Mutate(Program& program, const OpTable& table, const MutateLimits& limits, uint64_t seed,
                              MutatorMask mask) {
  FitToLimits(program, table, limits);
  if (table.ops().empty()) return std::nullopt;
  Rng rng(seed);
  const Program before = program;
  KindMask kinds = InheritedKinds(program, table, limits.kinds, rng);
  for (mask &= kAllMutators; mask != 0;) {
    Mutator mutator = PickMutator(rng, mask);
    Mutation mutation{program, table, limits, kinds, rng};
    if (kEntries[static_cast<size_t>(mutator)].apply(mutation)) {
      FitToLimits(program, table, limits);
      if (program != before) return mutator;
    }
    program = before;
    mask &= ~MaskOf(mutator);
  }
  return std::nullopt;
}

}  // namespace refquake
