#include "lock_kinds.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::atomic<int> word{0};
std::mutex plain;
std::timed_mutex timed;
std::shared_mutex shared;
mtx_t c11;
std::once_flag c11_made;
int pipe_of_one[2];
std::once_flag pipe_made;

void LockC11() {
  std::call_once(c11_made, [] { mtx_init(&c11, mtx_plain); });
  mtx_lock(&c11);
}

// Until it is the first to write 1: reads in between.
void LockByReading() {
  while (word.exchange(1, std::memory_order_acquire) != 0) {
    while (word.load(std::memory_order_relaxed) != 0) {
    }
  }
}

// The same without one load: nothing here is a yield point.
void LockByWriting() {
  while (word.exchange(1, std::memory_order_acquire) != 0) {
  }
}

// Writes in its loop as well: to nobody but itself.
void LockByCounting() {
  volatile int rounds = 0;
  while (word.exchange(1, std::memory_order_acquire) != 0) {
    while (word.load(std::memory_order_relaxed) != 0) rounds = rounds + 1;
  }
}

void FreeWord() { word.store(0, std::memory_order_release); }

void LockByWaiting() {
  while (word.exchange(1) != 0) word.wait(1);
}

void FreeAndNotify() {
  word.store(0);
  word.notify_one();
}

void LockByPolling() {
  while (!timed.try_lock_for(std::chrono::milliseconds(20))) {
  }
}

// Who has the byte has the lock.
void TakeByte() {
  std::call_once(pipe_made, [] {
    if (pipe(pipe_of_one) != 0 || write(pipe_of_one[1], "x", 1) != 1) _exit(99);
  });
  char byte;
  while (read(pipe_of_one[0], &byte, 1) != 1) {
  }
}

void GiveByte() {
  while (write(pipe_of_one[1], "x", 1) != 1) {
  }
}

}  // namespace

// Not std::counting_semaphore: libstdc++'s own can sleep for ever (GCC bug 104928), and does so here.
const LockKind kSteppedKinds[] = {
    {"std::mutex", [] { plain.lock(); }, [] { plain.unlock(); }},
    {"std::timed_mutex", LockByPolling, [] { timed.unlock(); }},
    {"std::shared_mutex", [] { shared.lock(); }, [] { shared.unlock(); }},
    {"mtx_t", LockC11, [] { mtx_unlock(&c11); }},
    {"std::atomic::wait", LockByWaiting, FreeAndNotify},
    {"a spin lock that reads", LockByReading, FreeWord},
    {"a spin lock that counts", LockByCounting, FreeWord},
    {nullptr, nullptr, nullptr},
};

const LockKind kUnseenKinds[] = {
    {"a spin lock that only writes", LockByWriting, FreeWord},
    {"a byte in a pipe", TakeByte, GiveByte},
    {nullptr, nullptr, nullptr},
};

void CountUnder(const LockKind& kind, volatile long* counter) {
  for (int i = 0; i < 3; ++i) {
    kind.lock();
    const long before = *counter;
    *counter = before + 1;
    kind.unlock();
  }
}

long SumUp() {
  static volatile long numbers[1 << 16];
  long sum = 0;
  for (int round = 0; round < 20; ++round) {
    for (const volatile long& number : numbers) sum += number;
  }
  return sum;
}

long SumOne() {
  static volatile long number;
  long sum = 0;
  for (int i = 0; i < 1 << 20; ++i) sum += number;
  return sum;
}

void WaitASecond() {
  sem_t never;
  sem_init(&never, 0, 0);
  timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  ++deadline.tv_sec;
  sem_clockwait(&never, CLOCK_MONOTONIC, &deadline);
}

void SleepAnHour() {
  sleep(1800);
  std::this_thread::sleep_for(std::chrono::minutes(30));
}

int LockForWritingTwice() {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&lock);
  const int again = pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  return again;
}

// Without yield points: no other lane reads the clock between the two.
__attribute__((no_sanitize("coverage"))) bool ClockFell() {
  static timespec last;  // of the thread with the token
  static bool fell = false;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  fell = fell || now.tv_sec < last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec < last.tv_nsec);
  last = now;
  return fell;
}
