#include "driver/fixed_layout.h"

#include <sys/personality.h>
#include <unistd.h>

#include <cstdlib>

namespace refquake {
namespace {

constexpr unsigned long kAsk = 0xffffffff;
// Set for the program started anew: where its personality did not last, it must not try again for ever.
constexpr char kTried[] = "REFQUAKE_LAYOUT_FIXED";

}  // namespace

void FixLayout(char** argv) {
  const bool tried = std::getenv(kTried) != nullptr;
  unsetenv(kTried);  // programs that the target starts are not ours
  const int now = personality(kAsk);
  if (tried || now < 0 || (now & ADDR_NO_RANDOMIZE)) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0) return;
  setenv(kTried, "1", 1);
  execv("/proc/self/exe", argv);
  unsetenv(kTried);
}

}  // namespace refquake
