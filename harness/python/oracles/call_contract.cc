#include "python/oracles/call_contract.h"

#include <string>

#include "core/text.h"
#include "python/interpreter.h"
#include "python/report.h"

namespace refquake {
namespace {

// CPython's own words for the mistake it found in a callee (Objects/call.c).
bool IsResultError(const std::string& text) {
  return text.starts_with("SystemError") && (text.find("without setting an exception") != std::string::npos ||
                                             text.find("with an exception set") != std::string::npos);
}

void ReportBadReturn(const Target& target, const Op& op, PyObject* self, std::string found) {
  const OpSpec& spec = target.table.op(op.op);
  const WatchedType* watched = self ? target.watch.Find(Py_TYPE(self)) : nullptr;
  Finding finding;
  finding.kind = "bad-return";
  finding.type = watched ? watched->name : target.table.target();
  finding.member = spec.name;
  finding.what = "the result of '" + PrintOp(op, target.table) + "' contradicts the exception state";
  finding.expected = "NULL with an exception set, or a result without";
  finding.found = std::move(found);
  finding.rule =
      "a function that fails must set an exception, one that succeeds must not (CPython documentation: "
      "Exception Handling)";
  finding.hint = "check each return path: NULL after PyErr_Set..., a result only when nothing failed";
  if (PassOver(finding)) return PyErr_Clear();
  Report(std::move(finding));
}

}  // namespace

void JudgeCall(const Target& target, const Op& op, PyObject* self, bool failed) {
  const bool pending = PyErr_Occurred() != nullptr;
  if (failed != pending) {
    ReportBadReturn(target, op, self, failed ? "failure without an exception" : "a result with an exception set");
  }
  if (pending && PyErr_ExceptionMatches(PyExc_SystemError)) {
    std::string text = TakeExceptionText();
    if (IsResultError(text)) ReportBadReturn(target, op, self, std::move(text));
  }
}

}  // namespace refquake
