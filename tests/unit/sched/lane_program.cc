#include "lane_program.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

void IncrementBoth(Shared* shared, int times) {
  for (int i = 0; i < times; ++i) {
    shared->counter = shared->counter + 1;
    shared->other = shared->other + 1;
  }
}

void IncrementBothLocked(Shared* shared, int times) {
  for (int i = 0; i < times; ++i) {
    pthread_mutex_lock(&shared->mutex);
    shared->counter = shared->counter + 1;
    shared->other = shared->other + 1;
    pthread_mutex_unlock(&shared->mutex);
  }
}

static void TakeBoth(Shared* shared, sem_t* one, sem_t* two) {
  sem_wait(one);
  sem_wait(two);
  shared->counter = shared->counter + 1;
  sem_post(two);
  sem_post(one);
}

void TakeInOrder(Shared* shared) { TakeBoth(shared, &shared->first, &shared->second); }
void TakeInOppositeOrder(Shared* shared) { TakeBoth(shared, &shared->second, &shared->first); }

void PingPong(Shared* shared, int own, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&shared->mutex);
    while (shared->turn != own) pthread_cond_wait(&shared->condition, &shared->mutex);
    shared->turn = 1 - own;
    shared->counter = shared->counter + 1;
    pthread_cond_signal(&shared->condition);
    pthread_mutex_unlock(&shared->mutex);
  }
}

void SpinUntilFlag(Shared* shared) {
  while (!__atomic_load_n(&shared->flag, __ATOMIC_ACQUIRE)) sched_yield();
}

void RaiseFlag(Shared* shared) { __atomic_store_n(&shared->flag, true, __ATOMIC_RELEASE); }

void WaitTenMinutes(Shared* shared) {
  timespec start, end;
  clock_gettime(CLOCK_REALTIME, &start);
  timespec deadline = start;
  deadline.tv_sec += 600;
  sem_wait(&shared->first);
  sem_wait(&shared->second);
  if (sem_timedwait(&shared->first, &deadline) != 0) shared->timed_wait_errno = errno;
  clock_gettime(CLOCK_REALTIME, &end);
  shared->virtual_seconds = end.tv_sec - start.tv_sec;
  sem_post(&shared->first);
  sem_post(&shared->second);
}

void SpinForEver(Shared*) {
  for (;;) __asm__ volatile("");  // a loop without an effect may be removed
}

void PollForEver(Shared* shared) {
  while (shared->counter < 2) {
    timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    sem_timedwait(&shared->never, &deadline);
  }
}

void WaitForEver(Shared* shared) {
  for (;;) sem_wait(&shared->first);  // also where a signal ends the wait
}
