// What a fuzz binary does instead of fuzzing: --replay, --encode, --show, --list-ops, --canary.
//
//   if (IsOneShot(flags)) return RunOneShot(flags, *session);      // an exit code
#ifndef REFQUAKE_DRIVER_ONE_SHOT_H_
#define REFQUAKE_DRIVER_ONE_SHOT_H_

#include "driver/flags.h"
#include "driver/session.h"

namespace refquake {

bool IsOneShot(const Flags& flags);
int RunOneShot(const Flags& flags, Session& session);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_ONE_SHOT_H_
