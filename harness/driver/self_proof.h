// Self-proof: a run that could not have found anything must not look like a clean run.
//
//   if (auto error = ProveSelf(argv[0], flags)) ...      // "the planted race was not reported: ..."
//
// Starts this binary again for each canary of the flavour and reads its report. Contract: called before
// the interpreter starts, while one thread runs. What belongs to the target (GIL off, instrumented) is
// checked by the session on loading it.
#ifndef REFQUAKE_DRIVER_SELF_PROOF_H_
#define REFQUAKE_DRIVER_SELF_PROOF_H_

#include <optional>
#include <string>

#include "driver/flags.h"

namespace refquake {

std::optional<std::string> ProveSelf(const char* binary, const Flags& flags);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_SELF_PROOF_H_
