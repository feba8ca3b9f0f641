// Correct code that waits in ways of its own is not reported, whatever the policy.
#include "lock_kinds.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "own_process.h"
#include "sched/policy_pct.h"
#include "sched/policy_random.h"
#include "sched/policy_replay.h"
#include "sched/pool.h"
#include "sched/token.h"
#include "sched/watchdog.h"

namespace refquake::sched {
namespace {

constexpr int kLanes = 3;

struct Counting {
  const LockKind* kind;
  volatile long counter = 0;
};

// Of each lock, in all policies; what did not come to 9 says so.
void CountUnderEach(const LockKind* kinds, int seeds) {
  static Counting counting;
  static Pool pool;
  pool.Start(kLanes, [](int, void*) { CountUnder(*counting.kind, &counting.counter); }, nullptr);
  for (const LockKind* kind = kinds; kind->name != nullptr; ++kind) {
    counting.kind = kind;
    const auto run = [&](Policy& policy) {
      counting.counter = 0;
      ArmWatchdog();
      RunStepped(pool, kLanes, policy);
      DisarmWatchdog();
      if (counting.counter == 3 * kLanes) return;
      std::fprintf(stderr, "%s: %ld\n", kind->name, counting.counter);
      _exit(1);
    };
    for (int seed = 0; seed < seeds; ++seed) {
      PctPolicy pct(3, static_cast<uint64_t>(seed), 40);
      run(pct);
      RandomPolicy random(static_cast<uint64_t>(seed));
      run(random);
    }
    ReplayPolicy replay(nullptr, 0);
    run(replay);
  }
}

void PrintAndExit(const StuckReport& report) {
  std::fprintf(stderr, "reported: %d\n", static_cast<int>(report.why));
  _exit(66);
}

class LockKinds : public testing::Test {
 protected:
  LockKinds() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LockKinds, ThatTheSchedulerSeesAreSteppedToTheEnd) {
  EXPECT_EXIT(
      {
        SetStuckHandler(PrintAndExit);
        StartWatchdog(60, PrintAndExit);
        CountUnderEach(kSteppedKinds, 100);
        std::fprintf(stderr, "done\n");
        _exit(0);
      },
      testing::ExitedWithCode(0), "^done\n$");  // no note that lanes were let go
}

TEST_F(LockKinds, ThatItDoesNotSeeHaveTheLanesLetGo) {
  EXPECT_EXIT(
      {
        SetStuckHandler(PrintAndExit);
        StartWatchdog(60, PrintAndExit);
        CountUnderEach(kUnseenKinds, 1);
        _exit(0);
      },
      testing::ExitedWithCode(0), "went on with its lanes free");
}

// Two lanes that do `body` once, under the default order.
void RunTwo(void (*body)(), uint32_t max_idle = kDefaultMaxIdle) {
  static void (*lane_body)() = body;
  static Pool pool;
  SetStuckHandler(PrintAndExit);
  pool.Start(2, [](int, void*) { lane_body(); }, nullptr);
  ReplayPolicy policy(nullptr, 0);
  RunStepped(pool, 2, policy, 0, max_idle);
}

TEST_F(LockKinds, ALongComputationIsNoLivelock) {
  EXPECT_RUNS_THROUGH(RunTwo([] { SumUp(); }));
  EXPECT_RUNS_THROUGH(RunTwo([] { SumOne(); }, /*max_idle=*/100));
}

TEST_F(LockKinds, ASleepTakesNoRealTime) {
  EXPECT_RUNS_THROUGH({
    StartWatchdog(20, PrintAndExit);
    ArmWatchdog();
    RunTwo(SleepAnHour);
  });
}

TEST_F(LockKinds, WhoWaitsForItselfIsToldSo) {
  EXPECT_RUNS_THROUGH(RunTwo([] {
    if (LockForWritingTwice() != EDEADLK) _exit(1);
  }));
}

TEST_F(LockKinds, NoClockFallsFromRunToRunNorBetweenThem) {
  EXPECT_RUNS_THROUGH({
    static Pool pool;
    pool.Start(
        2,
        [](int lane, void*) {
          for (int i = 0; i < 50; ++i) ClockFell();
          if (lane == 1) WaitASecond();
          ClockFell();
        },
        nullptr);
    for (uint64_t seed = 0; seed < 200; ++seed) {
      RandomPolicy policy(seed);
      RunStepped(pool, 2, policy);
      ClockFell();
    }
    WaitASecond();  // a real one: no longer than that for all that virtual time is ahead
    if (ClockFell()) _exit(1);
  });
}

}  // namespace
}  // namespace refquake::sched
