#include "python/trial_guard.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "python/leave.h"

namespace refquake {
namespace {

constexpr size_t kMaxText = 512;
constexpr int kExitHang = 70;
constexpr int kLooksPerDeadline = 4;
constexpr int kStepDeadlines = 3;  // an import executes a whole package, under a sanitizer

char g_text[kMaxText];
std::atomic<bool> g_is_trial{false};  // looked at while a call may be about to begin
TrialSink g_sink = nullptr;
std::atomic<uint64_t> g_call{0};  // odd while a call runs

timespec InMilliseconds(long milliseconds) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += milliseconds / 1000;
  time.tv_nsec += milliseconds % 1000 * 1000000;
  if (time.tv_nsec >= 1000000000) {
    ++time.tv_sec;
    time.tv_nsec -= 1000000000;
  }
  return time;
}

size_t Note(std::string_view text, bool is_trial) {
  const size_t size = std::min(text.size(), kMaxText - 1);
  std::memcpy(g_text, text.data(), size);
  g_text[size] = 0;
  g_is_trial = is_trial;
  return size;
}

}  // namespace

TrialGuard::TrialGuard(int seconds, TrialSink sink) : seconds_(seconds) {
  g_sink = sink;
  pthread_create(&thread_, nullptr, Watch, this);
}

TrialGuard::~TrialGuard() {
  End();
  pthread_mutex_lock(&mutex_);
  stopped_ = true;
  pthread_cond_signal(&stop_);
  pthread_mutex_unlock(&mutex_);
  pthread_join(thread_, nullptr);
  g_sink = nullptr;
}

void TrialGuard::Begin(std::string_view call) {
  const size_t size = Note(call, true);
  if (g_sink) g_sink(g_text, size);
  g_call.fetch_add(1);
}

void TrialGuard::BeginStep(std::string_view step) {
  Note(step, false);
  g_call.fetch_add(1);
}

void TrialGuard::End() {
  if (g_call.load() % 2 == 1) g_call.fetch_add(1);
  g_text[0] = 0;
  if (g_sink) g_sink(g_text, 0);
}

void* TrialGuard::Watch(void* guard) {
  auto* self = static_cast<TrialGuard*>(guard);
  uint64_t seen = 0;
  int looks = 0;
  pthread_mutex_lock(&self->mutex_);
  while (!self->stopped_) {
    const timespec until = InMilliseconds(self->seconds_ * 1000 / kLooksPerDeadline);
    pthread_cond_timedwait(&self->stop_, &self->mutex_, &until);
    const uint64_t call = g_call.load();
    looks = call == seen && call % 2 == 1 ? looks + 1 : 0;
    seen = call;
    const int deadlines = g_is_trial ? 1 : kStepDeadlines;
    if (looks < kLooksPerDeadline * deadlines || self->stopped_) continue;
    std::fprintf(stderr, "==refquake== %s HANGS: %s\n", g_is_trial ? "TRIAL" : "LOADING", g_text);
    std::fprintf(stderr, "refquake: %s did not end within %d s\n", g_text, self->seconds_ * deadlines);
    LeaveProcess(kExitHang);
  }
  pthread_mutex_unlock(&self->mutex_);
  return nullptr;
}

const char* TrialText() { return g_text; }

bool IsTrial() { return g_text[0] && g_is_trial; }

}  // namespace refquake
