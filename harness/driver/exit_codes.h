// Exit codes of a fuzz binary. 70 and 71 are libFuzzer's own for time-out and memory; 70 also ends a process
// whose target hangs while it is loaded: an import, a trial call (python/trial_guard.h).
#ifndef REFQUAKE_DRIVER_EXIT_CODES_H_
#define REFQUAKE_DRIVER_EXIT_CODES_H_

namespace refquake {

inline constexpr int kExitNothingFound = 0;
inline constexpr int kExitWrongUse = 2;
inline constexpr int kExitCouldNotRun = 3;
inline constexpr int kExitFinding = 77;
// A known finding (--known) that cannot be passed over in this process: start another.
inline constexpr int kExitKnown = 78;

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_EXIT_CODES_H_
