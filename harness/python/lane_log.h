// What happened in one lane: births and deaths of watched instances, and the ops that ran.
//
// Each thread that runs ops writes into a log of its own and into nothing else, so logging adds no
// synchronisation that ThreadSanitizer could take for the extension's. The executor reads the logs at
// the barrier, when no lane runs.
//
//   LaneLog::Bind(&logs[lane]);                   // once per worker thread
//   LaneLog::Mine().births.push_back(...);        // from the type watch
//
// Contract: a thread that never called Bind writes into a thread-local log which nobody reads: an
// extension's private threads are not judged.
#ifndef REFQUAKE_PYTHON_LANE_LOG_H_
#define REFQUAKE_PYTHON_LANE_LOG_H_

#include <Python.h>

#include <array>
#include <cstdint>
#include <vector>

#include "core/program.h"

namespace refquake {

inline constexpr int kMaxWatchedTypes = 256;

// Where in the program an op stands. Lane and op count from 0; phase -1 is outside any phase.
struct OpPlace {
  int16_t phase = -1;
  int16_t lane = 0;
  int16_t op = 0;
};

struct BirthOrDeath {
  PyObject* object;  // an address, not a reference
  int type;          // index of the watched type
  OpPlace place;
  bool birth;
};

enum class Outcome : uint8_t { kOk, kError, kSkipped };

// One executed op with the addresses (not references) it worked on.
struct OpTrace {
  OpPlace place;
  const Op* op = nullptr;
  std::array<PyObject*, kMaxArgs> args{};
  PyObject* result = nullptr;
  Outcome outcome = Outcome::kSkipped;
};

// A tp_dealloc of a watched type that is running, innermost first.
struct DeallocFrame {
  PyObject* self;
  int type;
  int running;  // the type whose own tp_dealloc runs: a base, when a subclass delegates to it
  bool freed = false;
  bool finalized = false;          // tp_finalize ran inside it
  DeallocFrame* outer = nullptr;
  Py_ssize_t type_references = 0;  // of the exact type, before
  Py_ssize_t type_references_at_free = 0;
  uint32_t type_deallocs = 0;      // finished deallocs of the exact type, before
  uint32_t disturbances = 0;       // of the lane, before
  PyObject* dict = nullptr;        // owned: the instance's __dict__ (oracles/dict_contract.h)
  Py_ssize_t dict_references = 0;  // before
};

// A replaced tp_finalize or tp_free that is running, innermost first: one that delegates to a base comes
// through the same function again.
struct SlotFrame {
  const void* self;
  int running;
  SlotFrame* outer = nullptr;
};

// An instance whose tp_dealloc returned without freeing it.
struct Unfreed {
  PyObject* object;  // an address
  int type;
  OpPlace place;
  uint32_t born_since = 0;  // instances of the type that were allocated afresh while this one lay there
};

struct LaneLog {
  std::vector<BirthOrDeath> events;
  std::vector<OpTrace> trace;
  OpPlace place;
  DeallocFrame* deallocs_running = nullptr;
  SlotFrame* finalizers_running = nullptr;
  SlotFrame* frees_running = nullptr;
  std::array<uint32_t, kMaxWatchedTypes> deallocs_finished{};
  std::vector<Unfreed> unfreed;
  PyObject* marker = nullptr;  // owned: the exception set around deallocs (oracles/exception_contract.h)
  uint32_t deallocs = 0;       // begun in this run
  // What changes types' plain counts beside deaths: a collection, which adds the threads' shares to them, and a value
  // that fights back, which runs ops of the program inside others.
  uint32_t disturbances = 0;
  bool alone = true;           // no other lane runs: counts of shared objects can be compared
  bool judged = false;         // bound to a lane

  static void Bind(LaneLog* log);
  static LaneLog& Mine();
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_LANE_LOG_H_
