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
// More than a million reads and no write: of many places, of one.
long SumUp();
long SumOne();
// The monotonic clock has gone back between two calls of this, by whatever thread.
bool ClockFell();
void WaitASecond();  // on a semaphore that nobody posts
void SleepAnHour();
int LockForWritingTwice();  // the second answer

#endif  // REFQUAKE_TESTS_UNIT_SCHED_LOCK_KINDS_H_
