#include "sched/policy.h"

#include "sched/pool.h"

namespace refquake::sched {

const char* KindName(Kind kind) {
  static const char* const kNames[] = {"start", "op", "load", "store", "acquire", "release", "block", "yield", "exit"};
  return kNames[static_cast<int>(kind)];
}

int DefaultLane(const Choice& choice) {
  bool can_stay = choice.current >= 0 && (choice.runnable >> choice.current & 1) != 0;
  if (can_stay && choice.kind != Kind::kYield) return choice.current;
  if (choice.kind != Kind::kYield) return __builtin_ctz(choice.runnable);
  for (int i = 1; i < kMaxLanes; ++i) {
    int lane = (choice.current + i) % kMaxLanes;
    if ((choice.runnable >> lane & 1) != 0) return lane;
  }
  return choice.current;
}

uint64_t NextRandom(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;  // splitmix64
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

uint32_t RandomBelow(uint64_t* state, uint32_t bound) {
  return static_cast<uint32_t>((NextRandom(state) >> 32) * bound >> 32);
}

}  // namespace refquake::sched
