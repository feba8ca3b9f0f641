#include "python/oracles/exception_contract.h"

#include "python/oracles/contract.h"

namespace refquake {
namespace {

// Of the lane's own making: an exception shared by lanes would order them by its reference count.
PyObject* Marker(LaneLog& log) {
  if (!log.marker && log.judged) {
    log.marker = PyObject_CallFunction(PyExc_RuntimeError, "s", "pending while a tp_dealloc ran");
    if (!log.marker) PyErr_Clear();
  }
  return log.marker;
}

}  // namespace

ExceptionJudge::ExceptionJudge(LaneLog& log)
    : thread_state_(PyThreadState_Get()), before_(thread_state_->current_exception) {
  if (before_ || log.deallocs++ % 2 == 1 || !Marker(log)) return;
  Py_IncRef(log.marker);
  PyErr_SetRaisedException(log.marker);
  before_ = log.marker;
  marked_ = true;
}

void ExceptionJudge::Finish(const WatchedType& watched, const void* object) {
  PyObject* after = thread_state_->current_exception;
  if (after != before_) {
    ReportBreach(
        watched, object,
        {.kind = "lost-exception",
         .what = "tp_dealloc changed the pending exception",
         .rule = "tp_dealloc may be called with an exception set and must leave it as it was (CPython "
                 "documentation: tp_dealloc)",
         .hint = "save with PyErr_GetRaisedException and restore with PyErr_SetRaisedException around code that "
                 "can fail, in tp_dealloc and tp_finalize",
         .expected = before_ ? "the exception that was pending" : "no exception",
         .found = after ? std::string(Py_TYPE(after)->tp_name) : "no exception"});
  }
  if (marked_) PyErr_Clear();
}

}  // namespace refquake
