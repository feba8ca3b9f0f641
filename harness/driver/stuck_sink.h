// What happens when an execution does not go on: a deadlock or livelock seen by the token scheduler, or
// a hang seen by the watchdog, becomes a finding with every lane's stack and what it waits for.
//
//   InstallStuckSink("node", 30);     // module under test, seconds until a hang
//
// Contract: called once, after the workers have started.
#ifndef REFQUAKE_DRIVER_STUCK_SINK_H_
#define REFQUAKE_DRIVER_STUCK_SINK_H_

#include <string>

namespace refquake {

void InstallStuckSink(const std::string& module, int hang_seconds);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_STUCK_SINK_H_
