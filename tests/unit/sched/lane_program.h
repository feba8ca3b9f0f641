// The code under test of the scheduler's tests: small lanes that race, lock, wait and spin. Its source
// is built with yield points at loads and stores, as an extension is.
#ifndef REFQUAKE_TESTS_UNIT_SCHED_LANE_PROGRAM_H_
#define REFQUAKE_TESTS_UNIT_SCHED_LANE_PROGRAM_H_

#include <pthread.h>
#include <semaphore.h>

struct Shared {
  volatile long counter = 0;  // volatile: each access stays one
  volatile long other = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  sem_t first;
  sem_t second;
  sem_t never;
  int turn = 0;
  bool flag = false;
  int timed_wait_errno = 0;
  long virtual_seconds = 0;

  Shared() {
    sem_init(&first, 0, 1);
    sem_init(&second, 0, 1);
    sem_init(&never, 0, 0);
  }
};

void IncrementBoth(Shared* shared, int times);        // plant: no lock
void IncrementBothLocked(Shared* shared, int times);  // the same, correct
void TakeInOrder(Shared* shared);                     // first, then second
void TakeInOppositeOrder(Shared* shared);             // plant: second, then first
void PingPong(Shared* shared, int own, int rounds);   // two lanes take turns on the condition
void SpinUntilFlag(Shared* shared);                   // yields between looks
void RaiseFlag(Shared* shared);
void WaitTenMinutes(Shared* shared);  // on a semaphore nobody posts
void SpinForEver(Shared* shared);     // no yield point at all
void PollForEver(Shared* shared);     // until the other lanes are through: on a semaphore nobody posts, with a time-out
void WaitForEver(Shared* shared);     // on a semaphore nobody posts, without a time-out

#endif  // REFQUAKE_TESTS_UNIT_SCHED_LANE_PROGRAM_H_
