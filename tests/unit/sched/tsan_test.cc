// ThreadSanitizer must see through the serialisation, in both directions.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;
};

Outcome RunProgram(const std::string& body) {
  Outcome outcome;
  // The options a caller exports for fuzz binaries would change the exit code.
  const std::string command = "env -u TSAN_OPTIONS " REFQUAKE_SCHED_TSAN_PROGRAM " " + body + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer;
  while (size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) outcome.output.append(buffer.data(), size);
  int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

TEST(Tsan, ARaceOfLanesThatNeverOverlapIsReported) {
  Outcome outcome = RunProgram("race");
  EXPECT_EQ(outcome.exit_code, 66);
  EXPECT_NE(outcome.output.find("ThreadSanitizer: data race"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("IncrementBoth"), std::string::npos) << outcome.output;
}

class TsanCorrect : public testing::TestWithParam<const char*> {};

TEST_P(TsanCorrect, IsNotReportedInAnyInterleaving) {
  Outcome outcome = RunProgram(GetParam());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output.find("ThreadSanitizer"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("interleavings"), std::string::npos) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Bodies, TsanCorrect, testing::Values("locked", "semaphores", "condition"));

}  // namespace
