#include "sched/policy_random.h"

namespace refquake::sched {
namespace {

int AnyOf(uint32_t lanes, uint64_t* random) {
  uint32_t skip = RandomBelow(random, static_cast<uint32_t>(__builtin_popcount(lanes)));
  for (; skip > 0; --skip) lanes &= lanes - 1;
  return __builtin_ctz(lanes);
}

}  // namespace

RandomPolicy::RandomPolicy(uint64_t seed) : seed_(seed) {}

void RandomPolicy::NewExecution(int) {
  random_ = seed_;
  one_in_ = 2u << RandomBelow(&random_, 5);
}

int RandomPolicy::NextLane(const Choice& choice) {
  uint32_t others = choice.current < 0 ? choice.runnable : choice.runnable & ~(1u << choice.current);
  bool can_stay = others != choice.runnable;
  if (others == 0) return choice.current;
  if (can_stay && choice.kind != Kind::kYield && RandomBelow(&random_, one_in_) != 0) return choice.current;
  return AnyOf(others, &random_);
}

}  // namespace refquake::sched
