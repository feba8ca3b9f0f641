// ThreadSanitizer asks here before it prints a report: a known race is passed over (driver/known.h).
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "driver/known.h"
#include "sched/token.h"

extern "C" {
// ThreadSanitizer's interface for debuggers; absent in other flavours.
int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count, int* mop_count,
                           int* loc_count, int* mutex_count, int* thread_count, int* unique_tid_count,
                           void** sleep_trace, unsigned long trace_size) __attribute__((weak));
int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write,
                          int* atomic, void** trace, unsigned long trace_size) __attribute__((weak));
void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, size_t size) __attribute__((weak));
}

namespace refquake {
namespace {

constexpr int kFrames = 12;
constexpr size_t kStackBytes = 2048;

// True for a shared object's code other than libc's: the code under test.
bool UnderTest(const void* pc) {
  Dl_info info;
  Dl_info here;
  if (!dladdr(pc, &info) || !info.dli_fname || !dladdr(reinterpret_cast<void*>(&UnderTest), &here)) return false;
  if (info.dli_fbase == here.dli_fbase) return false;
  return !std::strstr(info.dli_fname, "/libc.so") && !std::strstr(info.dli_fname, "/ld-linux");
}

// Appends "function@file.c" of each frame at `pc`, inlined ones first. The symboliser separates them by a zero.
void AppendFrames(char* text, const char* pc) {
  char frames[kStackBytes] = {};
  // A return address points behind the call.
  __sanitizer_symbolize_pc(const_cast<char*>(pc) - 1, "%f\t%s", frames, sizeof(frames) - 1);
  for (const char* frame = frames; *frame; frame += std::strlen(frame) + 1) {
    const char* tab = std::strchr(frame, '\t');
    if (!tab) return;
    const char* slash = std::strrchr(tab, '/');
    const size_t used = std::strlen(text);
    std::snprintf(text + used, kStackBytes - used, "%s%.*s@%s", used ? " < " : "", static_cast<int>(tab - frame), frame,
                  slash ? slash + 1 : tab + 1);
  }
}

bool DescribeAccess(void* report, unsigned long index, char* text) {
  int tid;
  int size;
  int write;
  int atomic;
  void* address;
  void* trace[kFrames] = {};
  text[0] = '\0';
  if (!__tsan_get_report_mop(report, index, &tid, &address, &size, &write, &atomic, trace, kFrames)) return false;
  for (int i = 0; i < kFrames && trace[i]; ++i) {
    if (i > 0 && trace[i] == trace[i - 1]) continue;  // an inlined frame: its address stands once for each
    AppendFrames(text, static_cast<const char*>(trace[i]));
    if (UnderTest(trace[i])) break;
  }
  return text[0] != '\0';
}

// By system calls alone: the runtime intercepts the rest, and waits for itself when an allocation ends in here while
// another thread has a report of its own to make.
void Say(const char* signature) {
  for (const char* part : {"==refquake== RACE: ", signature, "\n"}) {
    if (syscall(SYS_write, STDERR_FILENO, part, std::strlen(part)) < 0) return;
  }
}

// Both stacks, in an order of their own: which access came second varies.
bool PassOver(void* report) {
  const char* description = nullptr;
  int unused[7] = {};
  int accesses = 0;
  void* sleep[1];
  if (!__tsan_get_report_data || !__tsan_get_report_mop || !__sanitizer_symbolize_pc) return false;
  __tsan_get_report_data(report, &description, &unused[0], &unused[1], &accesses, &unused[2], &unused[3], &unused[4],
                         &unused[5], sleep, 0);
  static char first[kStackBytes];  // reports come one at a time; a lane's stack may be small
  static char second[kStackBytes];
  static char signature[2 * kStackBytes + 32];
  if (!description || std::strcmp(description, "data-race") != 0 || accesses < 2) return false;
  if (!DescribeAccess(report, 0, first) || !DescribeAccess(report, 1, second)) return false;
  const bool in_order = std::strcmp(first, second) <= 0;
  std::snprintf(signature, sizeof(signature), "data-race %s | %s", in_order ? first : second,
                in_order ? second : first);
  if (IsKnown(signature)) return true;
  Say(signature);
  return false;
}

}  // namespace
}  // namespace refquake

// What the linker is told to ask for, so that this file is taken from its archive.
extern "C" const char refquake_known_race = 1;

namespace __tsan {
class ReportDesc;

// Replaces the runtime's own weak definition. Returning true leaves the report out.
bool OnReport(const ReportDesc* report, bool suppressed) {
  const refquake::sched::Aside aside;
  return suppressed || refquake::PassOver(const_cast<ReportDesc*>(report));
}

}  // namespace __tsan
