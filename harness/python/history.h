// What the program did to one object so far: read from the lanes' traces when a finding is made.
//
//   finding.history = HistoryOf(object);     // "phase 1 lane 0: a = Node()"
//   finding.member = LinkBetween(a, b);      // "left": the attribute or method that last put b into a
//
// Contract: addresses are compared, so an op on an earlier object at the same address is left out by
// starting at the last op that returned the object. SetHistory is called once by the executor; the
// functions are called when no lane runs, or by the lane that reports.
#ifndef REFQUAKE_PYTHON_HISTORY_H_
#define REFQUAKE_PYTHON_HISTORY_H_

#include <Python.h>

#include <span>
#include <string>
#include <vector>

#include "core/op_table.h"
#include "python/lane_log.h"

namespace refquake {

void SetHistory(const OpTable* table, std::span<const LaneLog> logs);

// Lines naming place and op, oldest first, at most 12, and a note if immortal arguments may mask more.
// Only the address is used.
std::vector<std::string> HistoryOf(const void* object);
// Name of the last attribute set on, or method called on, `holder` with `object` as an argument; or "".
std::string LinkBetween(PyObject* holder, PyObject* object);
// Name of the last op that took `object` as its self or argument, or returned it; or "".
std::string LastCallOn(PyObject* object);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_HISTORY_H_
