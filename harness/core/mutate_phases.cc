// Mutators that change what runs beside what: phases, lanes, the schedule.
#include <algorithm>
#include <utility>

#include "core/mutation.h"

namespace refquake {
namespace {

void AppendTo(std::vector<Lane>& lanes, size_t lane, const Lane& ops) {
  if (lanes.size() <= lane) lanes.resize(lane + 1);
  lanes[lane].insert(lanes[lane].end(), ops.begin(), ops.end());
}

// Two barriers' neighbours: the first of two adjoining phases.
std::optional<size_t> PickBarrier(Mutation& m) {
  if (m.phases().size() < 2) return std::nullopt;
  return m.rng.Below(m.phases().size() - 1);
}

void ChangeSwitches(Mutation& m, std::vector<Switch>& switches) {
  auto lane = static_cast<uint8_t>(m.rng.Below(static_cast<size_t>(m.limits.max_lanes)));
  if (switches.empty() || m.rng.Chance(1, 3)) {
    size_t behind = m.rng.Below(switches.size() + 1);
    switches.push_back({static_cast<uint16_t>(m.rng.Below(behind > 0 ? switches[behind - 1].step + 64 : 64)), lane});
  } else {
    size_t at = m.rng.Below(switches.size());
    if (m.rng.Chance(1, 3)) {
      switches.erase(switches.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (m.rng.Chance(1, 2)) {
      switches[at].lane = lane;
    } else {
      switches[at].step = static_cast<uint16_t>(switches[at].step + m.rng.Below(17) - 8);
    }
  }
  std::stable_sort(switches.begin(), switches.end(), [](const Switch& a, const Switch& b) { return a.step < b.step; });
}

}  // namespace

bool SplitPhase(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place) return false;
  Phase& phase = m.phases()[place->phase];
  Phase next;
  next.lanes.resize(phase.lanes.size());
  for (size_t i = 0; i < phase.lanes.size(); ++i) {
    Lane& lane = phase.lanes[i];
    size_t cut = i == place->lane ? place->index : m.rng.Below(lane.size() + 1);
    next.lanes[i].assign(lane.begin() + static_cast<std::ptrdiff_t>(cut), lane.end());
    lane.resize(cut);
  }
  m.phases().insert(m.phases().begin() + static_cast<std::ptrdiff_t>(place->phase) + 1, std::move(next));
  return true;
}

bool MergePhases(Mutation& m) {
  std::optional<size_t> first = PickBarrier(m);
  if (!first) return false;
  std::vector<Lane>& lanes = m.phases()[*first].lanes;
  Phase next = std::move(m.phases()[*first + 1]);
  m.phases().erase(m.phases().begin() + static_cast<std::ptrdiff_t>(*first) + 1);
  // Behind what there is, or beside it.
  bool beside = lanes.size() + next.lanes.size() <= static_cast<size_t>(m.limits.max_lanes) && m.rng.Chance(1, 2);
  size_t base = beside ? lanes.size() : 0;
  for (size_t i = 0; i < next.lanes.size(); ++i) AppendTo(lanes, base + i, next.lanes[i]);
  return true;
}

bool CrossBarrier(Mutation& m) {
  std::optional<size_t> first = PickBarrier(m);
  if (!first) return false;
  size_t from = m.rng.Chance(1, 2) ? *first : *first + 1;
  size_t to = from == *first ? from + 1 : *first;
  Place place{.phase = from, .lane = m.rng.Below(m.phases()[from].lanes.size())};
  if (m.LaneAt(place).empty()) return false;
  place.index = from < to ? m.LaneAt(place).size() - 1 : 0;
  Op op = m.Remove(place);
  Place there{.phase = to, .lane = m.rng.Below(m.phases()[to].lanes.size())};
  there.index = from < to ? 0 : m.LaneAt(there).size();
  m.Insert(there, op);
  return true;
}

bool ChangeLane(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place || m.limits.max_lanes < 2) return false;
  Op op = m.Remove(*place);
  Place there{.phase = place->phase, .lane = m.PickOtherLane(*place)};
  there.index = m.rng.Below(m.LaneAt(there).size() + 1);
  m.Insert(there, op);
  return true;
}

bool ChangeSchedule(Mutation& m) {
  if (m.limits.max_lanes < 2) return false;
  Schedule& schedule = m.program.schedule;
  if (schedule.policy == Policy::kReplay && m.rng.Chance(7, 8)) {
    ChangeSwitches(m, schedule.switches);
    return true;
  }
  // Replay is for what was recorded: it is not made up here.
  bool keep = schedule.policy != Policy::kReplay && schedule.policy != Policy::kFree && m.rng.Chance(3, 4);
  if (!keep) schedule.policy = static_cast<Policy>(m.rng.Below(static_cast<size_t>(Policy::kRandom) + 1));
  schedule.seed = static_cast<uint32_t>(m.rng.Next());
  if (!keep || m.rng.Chance(1, 4)) schedule.depth = static_cast<uint8_t>(1 + m.rng.Below(6));
  return true;
}

}  // namespace refquake
