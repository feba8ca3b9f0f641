#include "python/leave.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

// The sanitizers' own version; absent in the plain flavour.
extern "C" void __interceptor__exit(int status) __attribute__((weak));

namespace refquake {
namespace {

constexpr int kUnknownStatus = -1;

void (*g_on_exit)(int status) = nullptr;
pid_t g_process = 0;
std::atomic_flag g_leaving = ATOMIC_FLAG_INIT;

void Notice(int status) {
  if (!g_on_exit || getpid() != g_process) return;
  while (g_leaving.test_and_set()) pause();  // another thread is about to end the process, and to say why
  g_on_exit(status);
  g_leaving.clear();  // nothing to say: whoever ends the process next may have
}

[[noreturn]] void RealExit(int status) {
  auto real = __interceptor__exit;
  if (!real) real = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "_exit"));
  real(status);
  std::abort();  // not reached
}

}  // namespace

void LeaveProcess(int code) {
  g_leaving.test_and_set();
  RealExit(code);
}

void WatchExits(void (*on_exit)(int status)) {
  g_process = getpid();
  g_on_exit = on_exit;
  std::atexit([] { Notice(kUnknownStatus); });
  std::at_quick_exit([] { Notice(kUnknownStatus); });
  pthread_atfork(nullptr, nullptr, [] { RealExit(0); });
}

}  // namespace refquake

extern "C" void _exit(int status) {
  refquake::Notice(status);
  refquake::RealExit(status);
}

extern "C" void _Exit(int status) { _exit(status); }
