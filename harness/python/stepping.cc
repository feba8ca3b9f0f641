#include "python/stepping.h"

#include "sched/policy_pct.h"
#include "sched/policy_random.h"

namespace refquake {
namespace {

// An op of an extension comes to 2 to 30 yield points. The seed picks the spread, so that a campaign
// tries change points in short and in long phases.
uint32_t Horizon(uint32_t seed, size_t ops) {
  const uint32_t per_op = 4u << (seed % 4);
  return static_cast<uint32_t>(ops + 1) * per_op;
}

}  // namespace

void Stepping::Begin(const Schedule& schedule) {
  schedule_ = schedule;
  sched::ForgetRun();
  first_step_ = 0;
  phases_ = 0;
  steps_.clear();
  for (const Switch& entry : schedule.switches) steps_.push_back({entry.step, entry.lane});
}

void Stepping::RunPhase(sched::Pool& pool, int lanes, size_t ops) {
  // Each phase has choices of its own.
  const uint64_t seed = schedule_.seed + uint64_t{0x10000} * phases_ * 0x9e3779b1u;
  ++phases_;
  switch (schedule_.policy) {
    case Policy::kFree:
      pool.RunFree(lanes);
      return;
    case Policy::kPct: {
      sched::PctPolicy policy(schedule_.depth, seed, Horizon(schedule_.seed, ops));
      return RunStepped(pool, lanes, policy);
    }
    case Policy::kRandom: {
      sched::RandomPolicy policy(seed);
      return RunStepped(pool, lanes, policy);
    }
    case Policy::kReplay: {
      sched::ReplayPolicy policy(steps_.data(), static_cast<int>(steps_.size()));
      return RunStepped(pool, lanes, policy);
    }
  }
}

void Stepping::RunStepped(sched::Pool& pool, int lanes, sched::Policy& policy) {
  first_step_ = sched::RunStepped(pool, lanes, policy, first_step_).steps;
}

Schedule Stepping::Recorded() const {
  if (!stepped()) return schedule_;
  Schedule recorded{.policy = Policy::kReplay};
  const sched::SteppedRun run = sched::RunSoFar();
  if (run.switches > static_cast<uint32_t>(run.recorded)) return schedule_;
  for (int i = 0; i < run.recorded; ++i) {
    const sched::SwitchRecord& entry = run.record[i];
    if (entry.by_default) continue;
    if (entry.step > UINT16_MAX || recorded.switches.size() == kMaxSwitches) return schedule_;
    recorded.switches.push_back({static_cast<uint16_t>(entry.step), static_cast<uint8_t>(entry.to)});
  }
  return recorded;
}

}  // namespace refquake
