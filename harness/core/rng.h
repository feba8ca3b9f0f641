// A small deterministic random number generator (splitmix64): the same numbers from the same seed
// with every compiler and library, so that what a seed made once it makes again.
//
//   Rng rng(7);
//   if (rng.Chance(1, 4)) lane = rng.Below(lanes);
#ifndef REFQUAKE_CORE_RNG_H_
#define REFQUAKE_CORE_RNG_H_

#include <cstddef>
#include <cstdint>

namespace refquake {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // From 0 to n - 1; n must not be 0. The bias of the modulo is far below what choice needs.
  size_t Below(size_t n) { return Next() % n; }
  // True in n of `of` cases.
  bool Chance(size_t n, size_t of) { return Below(of) < n; }

 private:
  uint64_t state_;
};

}  // namespace refquake

#endif  // REFQUAKE_CORE_RNG_H_
