// The worker pool: persistent threads, one for each lane, released together.
//
//   void RunLane(int lane, void* executor) { ... }
//   Pool pool;
//   pool.Start(8, RunLane, &executor);
//   pool.RunOnEach(8, MakeThreadState, &executor);  // one worker after another
//   pool.RunFree(3);                                // lanes 0..2 at once; returns when all are done
//
// Contract
// - One thread (the caller) uses a Pool. Workers are threads of their own, never the caller.
// - ThreadSanitizer sees two edges and no other: what the caller did before a run happens before each
//   lane, and each lane happens before what the caller does after it. Nothing orders lane and lane.
// - RunFree lets lanes start only when as many have arrived as can run at once (the smaller of
//   lanes and processors), so that they overlap.
// - Free-running lanes keep to disjoint sets of processors, as far as there are enough; lanes of a gated
//   run share one.
// - Workers block all asynchronous signals: those are the main thread's business.
// - Stepped runs (one lane at a time) are in token.h.
#ifndef REFQUAKE_SCHED_POOL_H_
#define REFQUAKE_SCHED_POOL_H_

#include <pthread.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace refquake::sched {

inline constexpr int kMaxLanes = 8;

using LaneFn = void (*)(int lane, void* context);

// What a worker calls around a lane's function; for the token scheduler.
struct LaneGate {
  void (*enter)(int lane);
  void (*leave)(int lane);
};

class Pool {
 public:
  Pool() = default;
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Creates the workers, once. `fn(lane, context)` is what RunFree and RunGated run.
  void Start(int workers, LaneFn fn, void* context);
  int workers() const { return workers_; }

  void RunFree(int lanes);
  // Runs `fn` on workers 0..lanes-1, each to its end before the next begins.
  void RunOnEach(int lanes, LaneFn fn, void* context);

  // For the token scheduler: lane `first` starts; who holds the token starts the others with StartLane,
  // each once. Returns when all of 0..lanes-1 have left the gate.
  void RunGated(int lanes, const LaneGate& gate, int first);
  void StartLane(int lane);

 private:
  enum class Mode : uint8_t { kPlain, kFree, kGated, kStop };

  static constexpr int kAnywhere = -2;
  static constexpr int kSpread = -1;

  struct alignas(64) Worker {
    uint32_t generation = 0;  // futex word: a change is a new job
    int lane = 0;
    int placed = kAnywhere;  // or kSpread, or a processor
    Pool* pool = nullptr;
    pthread_t thread = {};
  };

  static void* WorkerMain(void* argument);
  void CheckLanes(int lanes) const;
  // How many of so many lanes can run at once.
  int Overlapping(int lanes) const;
  void RunJob(int lane);
  void WaitForOthers();
  void Place(int lanes, int processor);
  void Prepare(Mode mode, int lanes, LaneFn fn, void* context);
  void WaitDone(bool spin);

  Worker worker_[kMaxLanes];
  int workers_ = 0;
  cpu_set_t allowed_ = {};
  uint32_t processors_ = 1;

  // The job; written by the caller while no worker runs.
  LaneFn lane_fn_ = nullptr;
  void* lane_context_ = nullptr;
  LaneFn fn_ = nullptr;
  void* context_ = nullptr;
  Mode mode_ = Mode::kPlain;
  LaneGate gate_ = {};
  uint32_t lanes_ = 0;   // that must be done before the caller goes on
  uint32_t quorum_ = 0;  // that must have arrived before any starts

  alignas(64) uint32_t arrived_ = 0;  // futex word of the start barrier
  alignas(64) uint32_t done_ = 0;     // futex word the caller waits on
  // Only their addresses matter: ThreadSanitizer hangs its edges on them.
  char begin_edge_ = 0;
  char end_edge_ = 0;
};

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_POOL_H_
