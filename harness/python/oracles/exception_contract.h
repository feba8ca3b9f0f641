// Oracle "exception": a tp_dealloc leaves the exception state as it found it.
//
// Holds: the exception that is pending when tp_dealloc is called is pending, the same one, when it
// returns; none is if none was. Every other dealloc of a lane is given a marker exception to keep, because
// an ordinary drop seldom happens while one is pending.
// Reports: lost-exception.
// Demanded by: CPython documentation, "tp_dealloc" and "tp_finalize" (both may be called with an exception
// set and must leave it unchanged).
// Legal exceptions: none. A debug build checks the same behind us and ends with a fatal error.
#ifndef REFQUAKE_PYTHON_ORACLES_EXCEPTION_CONTRACT_H_
#define REFQUAKE_PYTHON_ORACLES_EXCEPTION_CONTRACT_H_

#include "python/watch.h"

namespace refquake {

class ExceptionJudge {
 public:
  // Sets the marker if it is this dealloc's turn.
  explicit ExceptionJudge(LaneLog& log);
  // Reports, and does not return, if the state has changed; else takes the marker away.
  void Finish(const WatchedType& watched, const void* object);

 private:
  PyThreadState* thread_state_;
  PyObject* before_;
  bool marked_ = false;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_EXCEPTION_CONTRACT_H_
