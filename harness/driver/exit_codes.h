// Exit codes of a fuzz binary. 70 and 71 are libFuzzer's own for time-out and memory.
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
