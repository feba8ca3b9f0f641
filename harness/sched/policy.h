// A policy decides, at each yield point, which lane runs on.
//
//   PctPolicy policy(/*depth=*/3, /*seed=*/7, /*horizon=*/200);
//   RunStepped(pool, 3, policy);
//
// Contract
// - Calls come from whoever holds the token: a policy needs no lock, and must take none, allocate
//   nothing and call no instrumented code. Derive only inside this library.
// - The choice depends on the policy's parameters and the choices it was shown, nothing else: that is
//   what makes a run replay. There is no other source of randomness in a stepped run.
// - DefaultLane is what happens when nobody interferes. A recorded schedule lists only departures from
//   it, so an empty list is a legal schedule and each entry is a switch somebody wanted.
#ifndef REFQUAKE_SCHED_POLICY_H_
#define REFQUAKE_SCHED_POLICY_H_

#include <cstdint>

namespace refquake::sched {

// What a lane was about to do, or had just done, when it came to a yield point.
enum class Kind : uint8_t {
  kStart,    // nothing yet: the first lane is chosen
  kOp,       // between two ops
  kLoad,     // about to read memory, in the code under test
  kStore,    // about to write memory, in the code under test
  kAcquire,  // about to take a lock or a semaphore
  kRelease,  // has given one back
  kBlock,    // waits: cannot run on
  kYield,    // asked to let others run
  kExit,     // has no ops left
};
const char* KindName(Kind kind);

struct Choice {
  uint32_t step = 0;      // number of this yield point in the run; 0 chooses the first lane
  uint32_t runnable = 0;  // bit i: lane i can run; never 0
  int current = -1;       // the lane at the yield point; runnable or not; -1 at the start
  Kind kind = Kind::kStart;
};

class Policy {
 public:
  virtual void NewExecution(int lanes) = 0;
  // One of choice.runnable.
  virtual int NextLane(const Choice& choice) = 0;

 protected:
  ~Policy() = default;
};

// The current lane while it can run and does not ask to yield; else the lowest-numbered one that can
// run, or, after a yield, the next one in turn.
int DefaultLane(const Choice& choice);

// Small, fast and the same everywhere.
uint64_t NextRandom(uint64_t* state);
uint32_t RandomBelow(uint64_t* state, uint32_t bound);

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_POLICY_H_
