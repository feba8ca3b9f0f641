// The call under trial, where it survives a crash, and a deadline for it.
//
//   TrialGuard guard(5, OnTrial);                 // seconds for one call; OnTrial is told each call's text
//   TrialGuard::Begin("deque.rotate(1000)");
//   ...the call...
//   TrialGuard::End();
//
// Contract: one at a time. A call that outlives its deadline ends the process with a line that names it. The
// text lies in memory that a death callback may read (TrialText). No signal is used: under ThreadSanitizer a
// signal waits for the next system call, which a call that spins never makes.
#ifndef REFQUAKE_PYTHON_TRIAL_GUARD_H_
#define REFQUAKE_PYTHON_TRIAL_GUARD_H_

#include <pthread.h>

#include <string_view>

namespace refquake {

using TrialSink = void (*)(const char* text, size_t size);

class TrialGuard {
 public:
  TrialGuard(int seconds, TrialSink sink);
  ~TrialGuard();
  TrialGuard(const TrialGuard&) = delete;

  static void Begin(std::string_view text);
  static void End();

 private:
  static void* Watch(void* guard);

  int seconds_;
  pthread_t thread_{};
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t stop_ = PTHREAD_COND_INITIALIZER;
  bool stopped_ = false;
};

// The call that runs, zero-terminated; empty between calls.
const char* TrialText();

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_TRIAL_GUARD_H_
