#include "driver/stuck_sink.h"

#include <dlfcn.h>

#include <cstdio>
#include <set>

#include "driver/exit_codes.h"
#include "python/leave.h"
#include "python/report.h"
#include "sched/stuck.h"
#include "sched/token.h"
#include "sched/watchdog.h"

// The sanitizers' own symboliser; absent in the plain flavour.
extern "C" void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, size_t size) __attribute__((weak));

// ThreadSanitizer's switch for one thread; absent in the other flavours.
extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line) __attribute__((weak));
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line) __attribute__((weak));

namespace refquake {
namespace {

constexpr int kFramesShown = 12;

std::string g_module;

// "node_set_left node.c:57"
std::string Symbolize(uintptr_t pc) {
  // A return address points behind the call; the call is one before it.
  void* address = reinterpret_cast<void*>(pc - 1);
  if (__sanitizer_symbolize_pc) {
    char text[512];
    __sanitizer_symbolize_pc(address, "%f %s:%l", text, sizeof(text));
    return text;
  }
  Dl_info info;
  if (dladdr(address, &info) && info.dli_sname) return info.dli_sname;
  char text[32];
  std::snprintf(text, sizeof(text), "0x%zx", static_cast<size_t>(pc));
  return text;
}

// True for code of a shared object other than libc's: the module under test or a library of it.
bool IsExtensionCode(uintptr_t pc) {
  Dl_info here;
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(pc), &info) || !info.dli_fname) return false;
  if (dladdr(reinterpret_cast<void*>(&IsExtensionCode), &here) && here.dli_fbase == info.dli_fbase) return false;
  const std::string file(info.dli_fname);
  return file.find("/libc.so") == std::string::npos && file.find("/ld-linux") == std::string::npos;
}

// The function of the code under test that the lane stands in; "" if none.
std::string FunctionOf(const sched::StuckLane& lane) {
  for (int i = 0; i < lane.frames; ++i) {
    if (!IsExtensionCode(lane.frame[i])) continue;
    const std::string text = Symbolize(lane.frame[i]);
    return text.substr(0, text.find(' '));
  }
  return "";
}

const char* StateText(sched::LaneState state) {
  switch (state) {
    case sched::LaneState::kNotStarted:
      return "has not started";
    case sched::LaneState::kRunnable:
      return "can run";
    case sched::LaneState::kWaiting:
      return "waits";
    case sched::LaneState::kTimedWaiting:
      return "waits with a time-out";
    case sched::LaneState::kDone:
      return "has ended";
    case sched::LaneState::kUnknown:
      break;
  }
  return "stands";
}

void DescribeLane(const std::string& name, const sched::StuckLane& lane, Finding& finding) {
  std::string line = name + " " + StateText(lane.state);
  if (lane.object) {
    char text[32];
    std::snprintf(text, sizeof(text), " for %p", lane.object);
    line += text;
  }
  finding.history.push_back(line);
  for (int i = 0; i < lane.frames && i < kFramesShown; ++i) {
    finding.history.push_back("    #" + std::to_string(i) + " " + Symbolize(lane.frame[i]));
  }
}

struct Words {
  const char* kind;
  const char* what;
  const char* rule;
  const char* hint;
};

constexpr char kLockRule[] =
    "two locks must be taken in one order by all threads, and no lock held across code that can wait for it";
constexpr char kLockHint[] = "take both locks at once (Py_BEGIN_CRITICAL_SECTION2), or always in the same order";

Words WordsFor(sched::StuckReport::Why why) {
  using Why = sched::StuckReport::Why;
  switch (why) {
    case Why::kDeadlock:
      return {"deadlock", "every thread waits, and none is left to wake another", kLockRule, kLockHint};
    case Why::kLivelock:
      return {
          "livelock", "the lanes run without getting on", "a thread that waits must let the one it waits for get on",
          "look for the loop in the functions above that polls for what another lane holds; block on a lock instead"};
    case Why::kHang:
      return {
          "hang", "an execution waits beyond its deadline", "a call must end, or wait for what is sure to come",
          "see what each lane waits for: a lock held across code that can wait for it, two locks taken in two orders, "
          "or something outside the process (then leave it out with --deny=NAME, or give a longer --deadline)"};
    case Why::kLongRun:
      break;
  }
  return {"long-run", "an execution computes beyond its deadline",
          "a call must end, or let itself be interrupted (PyErr_CheckSignals), whatever it is given",
          "if it is meant to take that long (an endless iterator, a huge range), leave it out with --deny=NAME, or "
          "give a longer --deadline; else look for the loop that does not end in the function above"};
}

void OnStuck(const sched::StuckReport& report) {
  // The stuck threads still run: what the report reads of theirs is a race by intent, and must not be
  // reported in the hang's place. The process ends with this report.
  if (AnnotateIgnoreReadsBegin) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const Words words = WordsFor(report.why);
  Finding finding;
  finding.type = g_module;
  finding.kind = words.kind;
  finding.what = words.what;
  std::set<std::string> functions;
  for (int i = 0; i < report.lanes; ++i) {
    const sched::StuckLane& lane = report.lane[i];
    if (lane.frames == 0 || lane.state == sched::LaneState::kDone) continue;
    DescribeLane("lane " + std::to_string(i), lane, finding);
    const std::string function = FunctionOf(lane);
    if (!function.empty()) functions.insert(function);
  }
  if (report.caller.frames > 0) DescribeLane("main thread", report.caller, finding);
  if (report.lanes == 0 && report.caller.frames > 0) functions.insert(FunctionOf(report.caller));
  for (const std::string& function : functions) finding.member += (finding.member.empty() ? "" : "+") + function;
  finding.rule = words.rule;
  finding.hint = words.hint;
  if (PassOver(finding)) {
    // Left begun, ThreadSanitizer would complain at the exit, and with the exit code of a finding.
    if (AnnotateIgnoreReadsEnd) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    LeaveProcess(kExitKnown);
  }
  Report(std::move(finding));
}

}  // namespace

void InstallStuckSink(const std::string& module, int hang_seconds) {
  g_module = module;
  sched::SetStuckHandler(OnStuck);
  sched::StartWatchdog(hang_seconds, OnStuck);
}

}  // namespace refquake
