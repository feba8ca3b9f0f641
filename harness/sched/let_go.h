// Lets the lanes of a stepped run go, to run free from there on: where the one with the token waits for another in a
// way that the scheduler does not see, nobody would ever get on, and that were no fault of the code under test.
//
//   LetGoWatch watch;
//   watch.Look();       // by the watchdog's thread, every so many milliseconds
//
// What it goes by: the lane with the token stands in the code under test; at several looks in a row it has made no
// step, and has either not run at all (asleep in a call that nobody takes over: a futex, a pipe, a sleep) or computed
// for long without one load or store (a lock that spins); and others could get on. Not by real time: a busy machine
// looks the same.
//
// Contract: the run then ends as a free one does. Its record is of what was stepped; it may not replay.
#ifndef REFQUAKE_SCHED_LET_GO_H_
#define REFQUAKE_SCHED_LET_GO_H_

#include <cstdint>

namespace refquake::sched {

class LetGoWatch {
 public:
  void Forget() { lane_ = -1; }
  void Look();

 private:
  int lane_ = -1;  // -1: not looked at yet
  uint32_t grip_ = 0;
  int asleep_ = 0;          // looks in a row that found it there asleep, not having run since the one before
  uint64_t first_run_ = 0;  // nanoseconds it had run at the first look
  uint64_t last_run_ = 0;
};

// Whether a lane of the stepped run in progress, besides the one with the token, can get on by itself.
bool OthersCanGoOn();
// One line on standard error the first time, if the run that ends here was let go.
void NoteLetGo();

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_LET_GO_H_
