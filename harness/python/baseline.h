// Baseline: what lives before the first program runs, taken out of the collector's way.
//
// A collection of a free-threaded interpreter visits every block of every thread's heap several times,
// frozen or not: a bare interpreter has some 6,000 collectable objects, a program a few dozen. So the
// interpreter is started and the target discovered on a thread of their own, whose heap the collector
// is then told to pass over. That is what gc.freeze() promises, without the visits: a frozen object is
// never collected, and what it refers to keeps that reference.
//
//   std::string error = OnBaselineThread([&] { return StartAndDiscover(); });
//   // the calling thread now has a thread state of its own, attached
//   ShowBaseline(true);  ... walk the whole heap ...  ShowBaseline(false);
//
// Measured (tsan, 3.14.7): a collection costs 1/20 or less of what it costs with gc.freeze() alone.
//
// Contract: called once. The baseline thread stays, parked, with its thread state detached: mimalloc
// would hand its heap to others if it ended. Without free threading the function just runs, and
// gc.freeze() is all there is.
#ifndef REFQUAKE_PYTHON_BASELINE_H_
#define REFQUAKE_PYTHON_BASELINE_H_

#include <functional>
#include <string>

namespace refquake {

// Runs `work`, which starts the interpreter. If it returns the empty string, the baseline is hidden and
// the caller gets an attached thread state; else the error is handed on.
std::string OnBaselineThread(const std::function<std::string()>& work);

// Whether collections and heap walks see the baseline. The world must not be running: call it with no
// lane active.
void ShowBaseline(bool shown);

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_BASELINE_H_
