// Oracle "tracking": a collectable instance is tracked once it is whole, and not before.
//
// Holds: when no lane runs, a living instance that visits something collectable is tracked; when the
// extension calls PyObject_GC_Track, every pointer that tp_traverse visits is valid.
// Reports: never-tracked, tracked-too-early.
// Demanded by: CPython documentation, "Supporting Cyclic Garbage Collection" (PyObject_GC_Track must be
// called once the fields that tp_traverse follows are valid).
// Legal exceptions: an untracked instance that holds nothing collectable, because no cycle can go through
// it; types in legal_exceptions.cc. PyType_GenericAlloc tracks instances whose fields are still null,
// which tp_traverse must bear: that is no breach.
#ifndef REFQUAKE_PYTHON_ORACLES_TRACKING_H_
#define REFQUAKE_PYTHON_ORACLES_TRACKING_H_

#include <span>

#include "python/graph.h"

namespace refquake {

// Judges living instances; no lane runs.
void JudgeTracked(const Target& target, std::span<PyObject* const> living);

// What memory of an instance holds before its fields are set (import_hooks.cc sees to it).
inline constexpr unsigned char kUnsetByte = 0xcd;  // what a debug build uses as well
// Judges an instance at the moment it is handed to PyObject_GC_Track.
void JudgeTrackCall(const WatchedType& watched, PyObject* object);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_TRACKING_H_
