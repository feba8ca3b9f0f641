// Mutators that change which ops there are and in which order.
#include <algorithm>
#include <utility>

#include "core/generate.h"
#include "core/mutation.h"

namespace refquake {
namespace {

constexpr size_t kLongestRun = 8;

}  // namespace

bool InsertOp(Mutation& m) {
  if (m.Room() == 0) return false;
  Place place = m.PickGap();
  m.Insert(place, MakeOp(m.rng, m.table, m.kinds, StateBefore(m.program, place, m.table)));
  return true;
}

bool RemoveOps(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place) return false;
  size_t left = m.LaneAt(*place).size() - place->index;
  size_t n = m.rng.Chance(3, 4) ? 1 : std::min(left, 1 + m.rng.Below(4));
  for (; n > 0; --n) m.Remove(*place);
  return true;
}

bool DuplicateOp(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place || m.Room() == 0) return false;
  Op op = m.OpAt(*place);
  bool beside = m.rng.Chance(1, 2);
  place->index = beside ? place->index : m.rng.Below(m.LaneAt(*place).size() + 1);
  m.Insert(*place, op);
  return true;
}

bool MoveOp(Mutation& m) {
  std::optional<Place> place = m.PickOp();
  if (!place || m.LaneAt(*place).size() < 2) return false;
  Op op = m.Remove(*place);
  place->index = m.rng.Below(m.LaneAt(*place).size() + 1);
  m.Insert(*place, op);
  return true;
}

bool SwapOps(Mutation& m) {
  std::optional<Place> a = m.PickOp();
  std::optional<Place> b = m.PickOp();
  if (!a || *a == *b) return false;
  std::swap(m.OpAt(*a), m.OpAt(*b));
  return true;
}

bool Grow(Mutation& m) {
  size_t n = std::min(m.Room(), 2 + m.rng.Below(kLongestRun - 1));
  if (n == 0) return false;
  bool barrier = m.phases().empty() || m.rng.Chance(1, 4);
  if (barrier) m.phases().push_back({.lanes = {{}}});
  Place place{.phase = m.phases().size() - 1};
  place.lane = m.rng.Below(m.phases().back().lanes.size());
  if (m.limits.max_lanes > 1 && m.rng.Chance(1, 4)) place.lane = m.PickOtherLane(place);
  Lane& lane = m.LaneAt(place);
  place.index = lane.size();
  AppendRun(m.rng, m.table, m.kinds, StateBefore(m.program, place, m.table), n, lane);
  return true;
}

}  // namespace refquake
