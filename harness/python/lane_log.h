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
  bool freed = false;
  DeallocFrame* outer = nullptr;
  Py_ssize_t type_references = 0;  // of the exact type, before
  uint32_t type_deallocs = 0;      // finished deallocs of the exact type, before
};

struct LaneLog {
  std::vector<BirthOrDeath> events;
  std::vector<OpTrace> trace;
  OpPlace place;
  DeallocFrame* deallocs_running = nullptr;
  std::array<uint32_t, kMaxWatchedTypes> deallocs_finished{};
  bool alone = true;  // no other lane runs: counts of shared objects can be compared

  static void Bind(LaneLog* log);
  static LaneLog& Mine();
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_LANE_LOG_H_
