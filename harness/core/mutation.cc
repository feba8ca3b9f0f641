#include "core/mutation.h"

#include <utility>

namespace refquake {

void Mutation::Insert(const Place& place, const Op& op) {
  Lane& lane = LaneAt(place);
  lane.insert(lane.begin() + static_cast<std::ptrdiff_t>(place.index), op);
}

Op Mutation::Remove(const Place& place) {
  Op op = OpAt(place);
  Lane& lane = LaneAt(place);
  lane.erase(lane.begin() + static_cast<std::ptrdiff_t>(place.index));
  return op;
}

size_t Mutation::Room() const {
  size_t used = program.NumOps();
  return used < limits.max_ops ? limits.max_ops - used : 0;
}

std::optional<Place> Mutation::PickOp() {
  size_t n = program.NumOps();
  if (n == 0) return std::nullopt;
  size_t rest = rng.Below(n);
  for (Place place;; ++place.phase, place.lane = 0) {
    for (const Lane& lane : phases()[place.phase].lanes) {
      place.index = rest;
      if (rest < lane.size()) return place;
      rest -= lane.size();
      ++place.lane;
    }
  }
}

Place Mutation::PickGap() {
  if (phases().empty() || rng.Chance(1, 16)) {
    phases().push_back({.lanes = {{}}});
    return {.phase = phases().size() - 1};
  }
  Place place{.phase = rng.Below(phases().size())};
  std::vector<Lane>& lanes = phases()[place.phase].lanes;
  place.lane = rng.Below(lanes.size());
  if (limits.max_lanes > 1 && rng.Chance(1, 16)) place.lane = PickOtherLane(place);
  place.index = rng.Below(lanes[place.lane].size() + 1);
  return place;
}

size_t Mutation::PickOtherLane(const Place& place) {
  std::vector<Lane>& lanes = phases()[place.phase].lanes;
  bool may_add = lanes.size() < static_cast<size_t>(limits.max_lanes);
  if (may_add && (lanes.size() == 1 || rng.Chance(1, 4))) {
    lanes.emplace_back();
    return lanes.size() - 1;
  }
  size_t lane = rng.Below(lanes.size() - 1);
  return lane < place.lane ? lane : lane + 1;
}

Place Mutation::SplitLane(const Place& place) {
  Lane& lane = LaneAt(place);
  auto cut = lane.begin() + static_cast<std::ptrdiff_t>(place.index);
  Phase next;
  next.lanes.resize(place.lane + 1);
  next.lanes[place.lane].assign(cut, lane.end());
  lane.erase(cut, lane.end());
  phases().insert(phases().begin() + static_cast<std::ptrdiff_t>(place.phase) + 1, std::move(next));
  return {.phase = place.phase + 1, .lane = place.lane, .index = 0};
}

}  // namespace refquake
