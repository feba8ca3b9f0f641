// How close is the executor to a hand-written loop that makes the same C-API calls?
//
//   executor_bench MODULE_DIR PREFIX
//
// Prints operations per second as ratios within one run, in CPU time, so that a busy machine does not
// change them much; and executions per second of a two-lane program. Judges nothing.
#include <Python.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "core/text.h"
#include "python/baseline.h"
#include "python/discover.h"
#include "python/executor.h"
#include "python/interpreter.h"

namespace refquake {
namespace {

constexpr int kRounds = 7;
constexpr int kRepeats = 400;

// 32 ops: made, linked, read, pushed, popped, dropped.
constexpr char kProgram[] =
    "target: node\n"
    "phase:\n"
    "    lane:\n"
    "        a = Node()\n"
    "        b = Node()\n"
    "        a.left = b\n"
    "        c = a.left\n"
    "        a.push(b)\n"
    "        c = a.pop()\n"
    "        a.left = None\n"
    "        del c\n";
constexpr int kBlocks = 4;

constexpr char kThreadedHead[] = "target: node\nphase:\n    lane:\n        a = Node()\n        b = Node()\n";

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double WallSeconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double Measure(const std::function<void()>& work) {
  const double start = CpuSeconds();
  work();
  return CpuSeconds() - start;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Names {
  PyObject* node;
  PyObject* left;
  PyObject* push;
  PyObject* pop;
};

// What kProgram does, as one would write it by hand.
void RunByHand(const Names& names) {
  PyObject* a = nullptr;
  PyObject* b = nullptr;
  PyObject* c = nullptr;
  for (int block = 0; block < kBlocks; ++block) {
    Py_XSETREF(a, PyObject_CallNoArgs(names.node));
    Py_XSETREF(b, PyObject_CallNoArgs(names.node));
    PyObject_SetAttr(a, names.left, b);
    Py_XSETREF(c, PyObject_GetAttr(a, names.left));
    PyObject* pushed = PyObject_CallMethodOneArg(a, names.push, b);
    Py_XDECREF(pushed);
    Py_XSETREF(c, PyObject_CallMethodNoArgs(a, names.pop));
    PyObject_SetAttr(a, names.left, Py_None);
    Py_CLEAR(c);
  }
  Py_CLEAR(a);
  Py_CLEAR(b);
}

Program Parse(const std::string& text, const OpTable& table) {
  ParsedText parsed = ParseText(text, table);
  if (parsed.error) {
    std::fprintf(stderr, "%s\n", parsed.error->ToString("program").c_str());
    std::exit(3);
  }
  return std::move(parsed.program);
}

Program SingleLane(const OpTable& table) {
  Program program = Parse(kProgram, table);
  Lane& lane = program.phases[0].lanes[0];
  const Lane block = lane;
  for (int i = 1; i < kBlocks; ++i) lane.insert(lane.end(), block.begin(), block.end());
  return program;
}

// 64 ops on shared objects, 8 of them collections.
Program TwoLanes(const OpTable& table) {
  std::string text = std::string(kThreadedHead) + "phase:\n";
  for (int lane = 0; lane < 2; ++lane) {
    text += "    lane:\n";
    for (int i = 0; i < 4; ++i) {
      text +=
          "        a.left = b\n        c = a.left\n        a.push(b)\n        c = a.pop()\n"
          "        d = Node()\n        d.right = a\n        del d\n        gc.collect()\n";
    }
  }
  return Parse(text, table);
}

double TimePerRun(Executor& executor, const Program& program) {
  return Measure([&] {
           for (int i = 0; i < kRepeats; ++i) executor.Run(program);
         }) /
         kRepeats;
}

int Run(const char* folder, const char* prefix) {
  Target target;
  const std::string error = OnBaselineThread([&]() -> std::string {
    if (auto failed = StartInterpreter({.home = prefix, .path = {folder}})) return *failed;
    if (auto failed = Discover("node", {}, target)) return failed->message;
    SettleInterpreter();
    return "";
  });
  if (!error.empty()) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 3;
  }
  const Program program = SingleLane(target.table);
  const Names names{PyObject_GetAttrString(target.module.get(), "Node"), PyUnicode_InternFromString("left"),
                    PyUnicode_InternFromString("push"), PyUnicode_InternFromString("pop")};
  std::vector<double> by_hand;
  std::vector<double> unjudged;
  std::vector<double> judged;
  {
    Executor executor(target, {.max_lanes = 1, .judge = false});
    for (int round = 0; round < kRounds; ++round) {
      by_hand.push_back(Measure([&] {
                          for (int i = 0; i < kRepeats; ++i) RunByHand(names);
                        }) /
                        kRepeats);
      unjudged.push_back(TimePerRun(executor, program));
    }
  }
  target.WatchTypes();
  Executor executor(target, {.max_lanes = 2, .judge = true});
  executor.StartWorkers();
  for (int round = 0; round < kRounds; ++round) judged.push_back(TimePerRun(executor, program));
  const double ops = 8.0 * kBlocks;
  const double hand = Median(by_hand);
  std::printf("by hand            %8.0f ops/ms\n", ops / hand / 1000);
  std::printf("without oracles    %8.0f ops/ms, ratio to by hand %.2f (goal 0.9)\n", ops / Median(unjudged) / 1000,
              hand / Median(unjudged));
  std::printf("with all oracles   %8.0f ops/ms, ratio to by hand %.2f (goal 0.5)\n", ops / Median(judged) / 1000,
              hand / Median(judged));
  const Program two_lanes = TwoLanes(target.table);
  const double start = WallSeconds();
  constexpr int kThreadedRuns = 2000;
  for (int i = 0; i < kThreadedRuns; ++i) executor.Run(two_lanes);
  std::printf("two lanes, 64 ops, 8 collections: %.0f executions/s of wall time (goal under tsan, idle: 2000)\n",
              kThreadedRuns / (WallSeconds() - start));
  std::fflush(stdout);
  _exit(0);
}

}  // namespace
}  // namespace refquake

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: executor_bench MODULE_DIR PREFIX\n");
    return 2;
  }
  return refquake::Run(argv[1], argv[2]);
}
