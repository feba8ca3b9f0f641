// Executes programs on a target and lets the oracles judge them.
//
//   Executor executor(target, {.max_lanes = 4});
//   executor.StartWorkers();
//   RunResult result = executor.Run(program);     // returns if nothing was found
//
// Contract: one per process, used from the thread that started the interpreter, with its thread state
// attached; the watch is installed. A finding does not return (report.h). Nothing of a program is left
// after Run but what the module itself keeps. In a free-running lane nothing is locked and nothing
// shared is written between one op and the next.
#ifndef REFQUAKE_PYTHON_EXECUTOR_H_
#define REFQUAKE_PYTHON_EXECUTOR_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/finding.h"
#include "core/program.h"
#include "python/graph.h"
#include "python/lane_log.h"
#include "python/living.h"
#include "python/op_runner.h"
#include "python/slots.h"
#include "python/stepping.h"
#include "python/target.h"
#include "sched/pool.h"

namespace refquake {

struct ExecutorOptions {
  int max_lanes = 1;
  bool judge = true;              // false: run without oracles, for measuring
  bool fights = false;            // values may re-enter the op that is running (reentry.h)
  bool fail_allocations = false;  // run each op with failing allocations first (allocation_faults.h)
  // Told of the graph and the instances when a phase has been judged; may be empty.
  std::function<void(ObjectGraph&, std::span<PyObject* const>)> after_phase{};
};

struct RunResult {
  uint32_t ok = 0;       // ops that succeeded
  uint32_t errors = 0;   // ops that raised
  uint32_t skipped = 0;  // ops whose slots were empty or held another type
};

class Executor {
 public:
  Executor(Target& target, const ExecutorOptions& options);

  // Reports what loading the target alone has shown (oracle module life); does not return then. For a campaign,
  // which nothing else must hide it from, and for the replay of a program without ops, its reproducer. The replay
  // of any other program is about that program.
  void JudgeLoad();

  // Creates one worker per lane, each with its own thread state. Not needed for one lane.
  void StartWorkers();

  RunResult Run(const Program& program);

  // The lanes' logs of the run so far: the main thread's first, then lane 0's, lane 1's, ...
  const std::vector<LaneLog>& logs() const { return logs_; }
  const Stepping& stepping() const { return stepping_; }
  // The phase that runs or was judged last, from 0; -1 once all have ended.
  int phase() const { return phase_; }

 private:
  struct Worker {
    PyThreadState* thread_state = nullptr;
    SlotTable slots;
    const Lane* lane = nullptr;
  };

  static void MakeThreadState(int lane, void* executor);
  static void RunWorker(int lane, void* executor);
  static void DrainWorker(int lane, void* executor);

  void RunPhase(const Phase& phase);
  void RunConcurrently(const Phase& phase);
  void RunLane(const Lane& lane, SlotTable& slots, LaneLog& log, bool stepped);
  void TakeEvents();
  // Has every thread settle the reference counts queued for it. Objects may die.
  void Drain();
  // Where this run's objects will lie must not hang on the runs before it.
  void OrderHeaps();
  // Remembers the tracked instances of watched types that are older than any program.
  void NoteElders();
  // Builds the graph from the slots and the living; tracked instances of watched types that it reaches
  // and nobody saw born (a free list) are taken in.
  void BuildGraph();
  void JudgePhase();
  void Finish();

  Target& target_;
  ExecutorOptions options_;
  OpRunner ops_;
  std::vector<Finding> load_findings_;
  PyInterpreterState* interpreter_ = nullptr;
  sched::Pool pool_;
  Stepping stepping_;
  SlotTable slots_;
  std::array<Worker, kMaxLanes> workers_;
  std::vector<LaneLog> logs_;
  Living living_;
  ObjectGraph graph_;
  std::vector<PyObject*> instances_;
  AddressMap<bool> elders_;
  bool lanes_ran_ = false;               // in this run, on the workers
  int16_t phase_ = 0;
  uint64_t runs_ = 0;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_EXECUTOR_H_
