#include "driver/fixed_layout.h"

#include <sys/personality.h>
#include <unistd.h>

#include <cstdlib>

namespace refquake {
namespace {

constexpr unsigned long kAsk = 0xffffffff;
// Set for the program started anew: where its personality did not last, it must not try again for ever.
constexpr char kTried[] = "REFQUAKE_LAYOUT_FIXED";
// In KiB. By default mimalloc reserves 1 GiB at once, and under asan poisons it: half of the time that a replay takes.
constexpr char kReserve[] = "MIMALLOC_ARENA_RESERVE";
constexpr char kReserveKiB[] = "65536";

// By itself this does not take: personality(2) is obeyed when a program starts.
bool TurnRandomisationOff() {
  const int now = personality(kAsk);
  if (now < 0 || (now & ADDR_NO_RANDOMIZE)) return false;
  return personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) >= 0;
}

bool ReserveLittle() { return !std::getenv(kReserve) && setenv(kReserve, kReserveKiB, 1) == 0; }

}  // namespace

void FixLayout(char** argv) {
  const bool tried = std::getenv(kTried) != nullptr;
  unsetenv(kTried);  // programs that the target starts are not ours
  if (tried) return;
  const bool randomised = TurnRandomisationOff();
  if (!ReserveLittle() && !randomised) return;
  setenv(kTried, "1", 1);
  execv("/proc/self/exe", argv);
  unsetenv(kTried);
}

}  // namespace refquake
