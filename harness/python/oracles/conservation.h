// Oracle "conservation": references are neither lost nor made up.
//
// Holds, when no lane runs: an instance's reference count equals the slots that hold it plus the visits
// that all tracked objects make to it.
// Reports: missed-visit (a holder drops more references to it in tp_clear than it visits),
// leaked-reference (nobody holds the rest), extra-visit (a holder visits it more often than it drops it),
// missing-incref (holders own more references than were taken).
// Demanded by: CPython documentation, "tp_traverse", "tp_clear" and "Reference Counting".
// Legal exceptions: immortal objects; references that the module's data, state or heap holds, or a living
// instance whose type is not collectable and so visits nothing (such surpluses are judged when all slots are
// dropped); the reference an object's queue holds while the object waits for
// its owner thread (free_threading.h), for which the executor drains the queues first; references held outside the
// collector's sight by frozen objects are found by a walk over the whole heap before anything is reported.
#ifndef REFQUAKE_PYTHON_ORACLES_CONSERVATION_H_
#define REFQUAKE_PYTHON_ORACLES_CONSERVATION_H_

#include <Python.h>

#include <span>

#include "python/graph.h"
#include "python/living.h"

namespace refquake {

// True if every living instance's count adds up. Quick; a false answer is to be confirmed.
bool Conserved(ObjectGraph& graph, std::span<PyObject* const> living, Living& books);

// Judges every living instance against a graph built from the slots and the same instances. Reports,
// and does not return, at the first that does not add up. `last`: all slots are dropped. What turns out to be held
// by right is noted in `books`, so that the same surplus is not traced again.
void JudgeConservation(const Target& target, ObjectGraph& graph, std::span<PyObject* const> living, Living& books,
                       bool last);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ORACLES_CONSERVATION_H_
