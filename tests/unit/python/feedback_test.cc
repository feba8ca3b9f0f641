// What libFuzzer is told of a run: each part touches its own counters, and only when it is wanted.
#include "driver/feedback.h"

#include <Python.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "core/text.h"
#include "faulty_type.h"
#include "python/discover.h"
#include "python/executor.h"
#include "python/interpreter.h"

// Made by the linker: where the section of libFuzzer's extra counters begins and ends.
extern "C" uint8_t __start___libfuzzer_extra_counters[];
extern "C" uint8_t __stop___libfuzzer_extra_counters[];

namespace refquake {
namespace {

TEST(FeedbackTest, NamesBecomeParts) {
  const auto bit = [](FeedbackPart part) { return FeedbackMask{1} << static_cast<int>(part); };
  EXPECT_EQ(ParseFeedback("none"), FeedbackMask{0});
  EXPECT_EQ(ParseFeedback("outcomes"), bit(FeedbackPart::kOutcomes));
  EXPECT_EQ(ParseFeedback("counts,collisions"), bit(FeedbackPart::kCounts) | bit(FeedbackPart::kCollisions));
  EXPECT_EQ(ParseFeedback(""), FeedbackMask{0});
  EXPECT_FALSE(ParseFeedback("shape"));
}

long Touched() {
  return std::count_if(__start___libfuzzer_extra_counters, __stop___libfuzzer_extra_counters,
                       [](uint8_t counter) { return counter != 0; });
}

// Runs the program; the exit code is how many counters it touched.
[[noreturn]] void CountTouched(const char* parts, const char* ops) {
  RegisterFaulty(Fault::kNone);
  if (StartInterpreter({.home = REFQUAKE_DEFAULT_HOME})) _exit(200);
  static Target target;
  if (Discover("faulty", {}, target)) _exit(201);
  target.WatchTypes();
  const ParsedText parsed = ParseText(std::string("target: faulty\n") + ops, target.table);
  if (parsed.error) _exit(202);
  static const Feedback feedback(target, *ParseFeedback(parts));
  ExecutorOptions options{.max_lanes = 2};
  options.after_phase = [](ObjectGraph& graph, std::span<PyObject* const> living) {
    feedback.CountPhase(graph, living);
  };
  static Executor executor(target, options);
  executor.StartWorkers();
  executor.Run(parsed.program);
  feedback.CountRun(executor.logs());
  _exit(static_cast<int>(Touched()));
}

constexpr char kOne[] = "phase:\n    lane:\n        a = Pair()\n";
constexpr char kCycle[] = "phase:\n    lane:\n        a = Pair()\n        a.other = a\n";
constexpr char kMeeting[] =
    "phase:\n    lane:\n        a = Pair()\n"
    "phase:\n    lane:\n        b = a.other\n    lane:\n        b = a.other\n";

TEST(FeedbackTest, NothingIsToldWhereNothingIsWanted) {
  EXPECT_EXIT(CountTouched("none", kMeeting), testing::ExitedWithCode(0), "");
}

TEST(FeedbackTest, OutcomesAreTold) { EXPECT_EXIT(CountTouched("outcomes", kOne), testing::ExitedWithCode(1), ""); }

TEST(FeedbackTest, TwoLanesOnOneObjectAreACollision) {
  EXPECT_EXIT(CountTouched("collisions", kOne), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(CountTouched("collisions", kMeeting), testing::ExitedWithCode(1), "");
}

TEST(FeedbackTest, ShapesAreOfCycleParentsAndDepth) {
  EXPECT_EXIT(CountTouched("shapes", kOne), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(CountTouched("shapes", kCycle), testing::ExitedWithCode(3), "");
}

TEST(FeedbackTest, EachSizeOfCountIsTold) {
  EXPECT_EXIT(CountTouched("counts", kOne), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(CountTouched("counts", (std::string(kOne) + "phase:\n    lane:\n        a.other = a\n").c_str()),
              testing::ExitedWithCode(2), "");
}

}  // namespace
}  // namespace refquake
