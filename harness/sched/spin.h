// Tells a lane that spins from one that computes: it reads the same few places again and again, and writes nothing.
//
//   SpinWatch spin;
//   if (spin.Reads(place ^ address)) ...      // it waits for another lane: as good as a sched_yield
//   spin.Writes();
//
// A loop that does this without waiting for anybody lets others run now and then.
#ifndef REFQUAKE_SCHED_SPIN_H_
#define REFQUAKE_SCHED_SPIN_H_

#include <cstdint>

namespace refquake::sched {

class SpinWatch {
 public:
  // `what`: the address read, and from where.
  bool Reads(uint64_t what) {
    for (uint64_t known : known_) {
      if (known == what) return ++again_ % kReadsOfASpin == 0;
    }
    known_[next_++ % kPlaces] = what;
    again_ = 0;
    return false;
  }
  void Writes() { again_ = 0; }

 private:
  static constexpr uint32_t kPlaces = 4;
  static constexpr uint32_t kReadsOfASpin = 64;
  uint64_t known_[kPlaces] = {};
  uint32_t next_ = 0;
  uint32_t again_ = 0;
};

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_SPIN_H_
