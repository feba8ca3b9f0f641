#include "python/oracles/dict_contract.h"

#include <algorithm>
#include <utility>

#include "python/free_threading.h"
#include "python/oracles/contract.h"

namespace refquake {
namespace {

PyObject* At(PyObject* object, Py_ssize_t offset) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

// Attributes without a dict object: kept behind the instance while the class's keys describe them.
// Layout: CPython Include/internal/pycore_dict.h, struct _dictvalues (3.13 to 3.15).
struct InlineValues {
  uint8_t capacity;
  uint8_t size;
  uint8_t embedded;
  uint8_t valid;
  PyObject* values[1];
};

bool InlineValuesLeft(PyObject* object) {
  if (!(Py_TYPE(object)->tp_flags & kInlineValuesFlag)) return false;
  auto* inline_values =
      reinterpret_cast<const InlineValues*>(reinterpret_cast<char*>(object) + Py_TYPE(object)->tp_basicsize);
  if (!inline_values->valid) return false;
  return std::any_of(inline_values->values, inline_values->values + inline_values->capacity,
                     [](const PyObject* value) { return value != nullptr; });
}

}  // namespace

void HoldDict(PyObject* object, const LaneLog& log, DeallocFrame& frame) {
  const Py_ssize_t offset = Py_TYPE(object)->tp_dictoffset;
  if (offset <= 0 || !log.alone) return;
  frame.dict = At(object, offset);
  if (!frame.dict) return;
  frame.dict_references = Py_REFCNT(frame.dict);
  Py_IncRef(frame.dict);  // CPython's own: ThreadSanitizer sees it
}

void ReleaseDict(DeallocFrame& frame) { Py_DecRef(std::exchange(frame.dict, nullptr)); }

void JudgeDict(const WatchedType& watched, PyObject* object, const DeallocFrame* frame) {
  if (PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_MANAGED_DICT)) {
    if (!At(object, kManagedDictOffset) && !InlineValuesLeft(object)) return;
    ReportBreach(watched, object,
                 {.kind = "dict-left",
                  .what = "tp_free was called while the instance still holds its managed __dict__",
                  .rule = "a type with Py_TPFLAGS_MANAGED_DICT must call PyObject_ClearManagedDict in tp_dealloc and "
                          "tp_clear (CPython documentation: Py_TPFLAGS_MANAGED_DICT)",
                  .hint = "call PyObject_ClearManagedDict(self) in tp_dealloc, after untracking"});
  }
  if (!frame || !frame->dict || frame->finalized) return;
  if (Py_REFCNT(frame->dict) - 1 < frame->dict_references) return;
  ReportBreach(watched, object,
               {.kind = "dict-left",
                .what = "tp_free was called while the instance still owns its __dict__",
                .rule = "a type with a tp_dictoffset owns the dict there and must drop it in tp_dealloc (CPython "
                        "documentation: tp_dictoffset)",
                .hint = "Py_CLEAR the dict in tp_dealloc and tp_clear, and visit it in tp_traverse",
                .expected = std::to_string(frame->dict_references - 1) + " references to the dict",
                .found = std::to_string(Py_REFCNT(frame->dict) - 1)});
}

}  // namespace refquake
