// What the mutators share: internal to mutation, see mutate.h for its use.
//
// Contract of a mutator: true if it found something to change. It may leave the program over the
// limits or not canonical; Mutate() sees to that.
#ifndef REFQUAKE_CORE_MUTATION_H_
#define REFQUAKE_CORE_MUTATION_H_

#include <optional>

#include "core/mutate.h"
#include "core/rng.h"
#include "core/slot_state.h"

namespace refquake {

struct Mutation {
  Program& program;
  const OpTable& table;
  const MutateLimits& limits;
  KindMask kinds;
  Rng& rng;

  std::vector<Phase>& phases() { return program.phases; }
  Lane& LaneAt(const Place& place) { return phases()[place.phase].lanes[place.lane]; }
  Op& OpAt(const Place& place) { return LaneAt(place)[place.index]; }
  void Insert(const Place& place, const Op& op);
  Op Remove(const Place& place);
  // How many more ops there may be.
  size_t Room() const;
  // Any op, each as likely as the next; none in an empty program.
  std::optional<Place> PickOp();
  // A place for a new op; makes the first phase, and at times a lane or a phase of its own.
  Place PickGap();
  // Another lane of the same phase, a new one if there may be; needs max_lanes of 2 or more.
  size_t PickOtherLane(const Place& place);
  // Moves what stands at and behind `place` in its lane into a phase of its own that follows.
  Place SplitLane(const Place& place);
};

bool InsertOp(Mutation& m);
bool RemoveOps(Mutation& m);
bool DuplicateOp(Mutation& m);
bool MoveOp(Mutation& m);
bool SwapOps(Mutation& m);
bool ChangeArgument(Mutation& m);
bool ChangeResult(Mutation& m);
bool ReplaceOp(Mutation& m);
bool Collide(Mutation& m);
bool SplitPhase(Mutation& m);
bool MergePhases(Mutation& m);
bool CrossBarrier(Mutation& m);
bool ChangeLane(Mutation& m);
bool Grow(Mutation& m);
bool ChangeSchedule(Mutation& m);

}  // namespace refquake

#endif  // REFQUAKE_CORE_MUTATION_H_
