// Locks of every make around the same counter: code under test, built with yield points as an extension is.
#ifndef REFQUAKE_TESTS_UNIT_SCHED_LOCK_KINDS_H_
#define REFQUAKE_TESTS_UNIT_SCHED_LOCK_KINDS_H_

struct LockKind {
  const char* name;
  void (*lock)();
  void (*unlock)();
};

extern const LockKind kSteppedKinds[];  // the token scheduler sees their waits; closed by a null name
extern const LockKind kUnseenKinds[];   // it does not; the same

// Three times under the lock: reads the counter, reads other memory, writes the counter.
void CountUnder(const LockKind& kind, volatile long* counter);
// More than a million reads and no write.
long SumUp();
// The monotonic clock, twice in a row, has gone back.
bool ClockFell();

#endif  // REFQUAKE_TESTS_UNIT_SCHED_LOCK_KINDS_H_
