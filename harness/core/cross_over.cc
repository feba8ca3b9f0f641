#include <algorithm>

#include "core/mutate.h"
#include "core/mutation.h"

namespace refquake {
namespace {

// The first phases of one, then the last phases of the other.
void Splice(Rng& rng, const Program& b, Program& out) {
  out.phases.resize(rng.Below(out.phases.size()) + 1);
  size_t from = rng.Below(b.phases.size());
  out.phases.insert(out.phases.end(), b.phases.begin() + static_cast<std::ptrdiff_t>(from), b.phases.end());
}

// One phase of the other between two of the first.
void InsertPhase(Rng& rng, const Program& b, Program& out) {
  auto at = out.phases.begin() + static_cast<std::ptrdiff_t>(rng.Below(out.phases.size() + 1));
  out.phases.insert(at, b.phases[rng.Below(b.phases.size())]);
}

// A lane of the other beside those of a phase; behind one of them if there is no room.
void AddLane(Rng& rng, const Program& b, size_t max_lanes, Program& out) {
  const std::vector<Lane>& theirs = b.phases[rng.Below(b.phases.size())].lanes;
  const Lane& lane = theirs[rng.Below(theirs.size())];
  std::vector<Lane>& ours = out.phases[rng.Below(out.phases.size())].lanes;
  if (ours.size() < max_lanes) {
    ours.push_back(lane);
  } else {
    Lane& home = ours[rng.Below(ours.size())];
    home.insert(home.end(), lane.begin(), lane.end());
  }
}

}  // namespace

Program CrossOver(const Program& a, const Program& b, const OpTable& table, const MutateLimits& limits, uint64_t seed) {
  Rng rng(seed);
  bool swap = rng.Chance(1, 2);
  Program out = swap ? b : a;
  const Program& other = swap ? a : b;
  if (rng.Chance(1, 2)) out.schedule = other.schedule;
  if (out.phases.empty() || other.phases.empty()) {
    if (out.phases.empty()) out.phases = other.phases;
  } else {
    size_t way = rng.Below(4);
    if (way < 2) Splice(rng, other, out);
    if (way == 2) InsertPhase(rng, other, out);
    if (way == 3) AddLane(rng, other, static_cast<size_t>(std::max(1, limits.max_lanes)), out);
  }
  FitToLimits(out, table, limits);
  return out;
}

}  // namespace refquake
