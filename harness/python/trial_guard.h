// What runs while the target is loaded, where it survives a crash, and a deadline for it.
//
//   TrialGuard guard(30, OnTrial);                // seconds for one trial call; OnTrial is told each call's text
//   TrialGuard::Begin("deque.rotate(1000)");      // a trial call
//   ...the call...
//   TrialGuard::End();
//   TrialGuard::BeginStep("import node");         // anything else that runs the target's code: 3 times as long
//   ...
//   TrialGuard::End();
//
// Contract: one at a time. What outlives its deadline ends the process with exit code 70, as a program that
// hangs, and a line that names it. No signal is used: under ThreadSanitizer a signal waits for the next system
// call, which a call that spins never makes.
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

  static void Begin(std::string_view call);
  static void BeginStep(std::string_view step);
  static void End();

 private:
  static void* Watch(void* guard);

  int seconds_;
  pthread_t thread_{};
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t stop_ = PTHREAD_COND_INITIALIZER;
  bool stopped_ = false;
};

// What runs, zero-terminated; empty between calls and steps.
const char* TrialText();
// Whether that is a trial call, and not a step.
bool IsTrial();

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_TRIAL_GUARD_H_
