#include "sched/token.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <vector>

#include "lane_program.h"
#include "sched/policy_exhaustive.h"
#include "sched/policy_pct.h"
#include "sched/policy_random.h"
#include "sched/policy_replay.h"
#include "sched/watchdog.h"

namespace refquake::sched {
namespace {

using Body = std::function<void(Shared*, int lane)>;

// A pool whose lanes run `body` on a fresh Shared each time.
class Lanes {
 public:
  explicit Lanes(int lanes, Body body) : lanes_(lanes), body_(std::move(body)) { pool_.Start(lanes, Run, this); }

  SteppedRun Step(Policy& policy, uint32_t max_idle = kDefaultMaxIdle) {
    shared = Shared();
    return RunStepped(pool_, lanes_, policy, 0, max_idle);
  }
  void Free() { pool_.RunFree(lanes_); }

  Shared shared;

 private:
  static void Run(int lane, void* self) {
    Lanes* lanes = static_cast<Lanes*>(self);
    lanes->body_(&lanes->shared, lane);
  }

  int lanes_;
  Body body_;
  Pool pool_;
};

void Race(Shared* shared, int) { IncrementBoth(shared, 3); }
void Locked(Shared* shared, int) { IncrementBothLocked(shared, 3); }
void TwoOrders(Shared* shared, int lane) { lane == 0 ? TakeInOrder(shared) : TakeInOppositeOrder(shared); }

std::vector<Step> Departures(const SteppedRun& run) {
  std::vector<Step> steps;
  for (int i = 0; i < run.recorded; ++i) {
    if (!run.record[i].by_default) steps.push_back({run.record[i].step, run.record[i].to});
  }
  return steps;
}

TEST(Token, SameSeedSameHashEveryTime) {
  Lanes lanes(3, Race);
  RandomPolicy policy(11);
  SteppedRun first = lanes.Step(policy);
  EXPECT_GT(first.switches, 3u);
  for (int i = 0; i < 1000; ++i) {
    SteppedRun again = lanes.Step(policy);
    ASSERT_EQ(again.hash, first.hash) << "run " << i;
    ASSERT_EQ(again.steps, first.steps);
  }
}

TEST(Token, RecordedSwitchesReplayToTheSameHash) {
  Lanes lanes(3, Locked);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    PctPolicy pct(4, seed, 60);
    SteppedRun recorded = lanes.Step(pct);
    std::vector<Step> steps = Departures(recorded);
    ReplayPolicy replay(steps.data(), static_cast<int>(steps.size()));
    EXPECT_EQ(lanes.Step(replay).hash, recorded.hash) << "seed " << seed;
    EXPECT_EQ(replay.passed_over(), 0);
  }
}

TEST(Token, DifferentInterleavingsHaveDifferentHashes) {
  Lanes lanes(2, Race);
  ReplayPolicy none(nullptr, 0);
  const Step at_three[] = {{3, 1}};
  ReplayPolicy one(at_three, 1);
  EXPECT_NE(lanes.Step(none).hash, lanes.Step(one).hash);
}

TEST(Token, ExhaustiveFindsTheLostUpdateAndItsSwitchReplaysIt) {
  Lanes lanes(2, [](Shared* shared, int) { IncrementBoth(shared, 1); });
  ExhaustivePolicy none(0);
  do {
    lanes.Step(none);
    EXPECT_EQ(lanes.shared.counter, 2) << "lost without a preemption";
  } while (none.Next());

  ExhaustivePolicy one(1);
  std::vector<Step> steps;
  do {
    SteppedRun run = lanes.Step(one);
    if (lanes.shared.counter == 1) steps = Departures(run);
  } while (steps.empty() && one.Next());
  ASSERT_FALSE(steps.empty()) << "no interleaving lost an update";
  EXPECT_LE(steps.size(), 2u);
  ReplayPolicy replay(steps.data(), static_cast<int>(steps.size()));
  for (int i = 0; i < 100; ++i) {
    lanes.Step(replay);
    EXPECT_EQ(lanes.shared.counter, 1);
  }
}

TEST(Token, BothUnsynchronisedCountersCanLoseInOneRun) {
  Lanes lanes(2, [](Shared* shared, int) { IncrementBoth(shared, 1); });
  ExhaustivePolicy policy(3);
  int both = 0, runs = 0;
  do {
    lanes.Step(policy);
    ++runs;
    both += lanes.shared.counter == 1 && lanes.shared.other == 1;
  } while (policy.Next());
  EXPECT_GT(both, 0);
  EXPECT_LT(both, runs);
}

TEST(Token, ALockIsALockInEveryInterleaving) {
  Lanes lanes(2, [](Shared* shared, int) { IncrementBothLocked(shared, 1); });
  ExhaustivePolicy policy(3);
  int runs = 0;
  do {
    lanes.Step(policy);
    ++runs;
    ASSERT_EQ(lanes.shared.counter, 2);
    ASSERT_EQ(lanes.shared.other, 2);
  } while (policy.Next());
  EXPECT_GT(runs, 50);
  EXPECT_FALSE(policy.truncated());
}

TEST(Token, ConditionVariablesHandOver) {
  Lanes lanes(2, [](Shared* shared, int lane) { PingPong(shared, lane, 5); });
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomPolicy policy(seed);
    lanes.Step(policy);
    EXPECT_EQ(lanes.shared.counter, 10);
  }
}

TEST(Token, ASpinningLaneLetsTheOthersRun) {
  Lanes lanes(3, [](Shared* shared, int lane) { lane == 2 ? RaiseFlag(shared) : SpinUntilFlag(shared); });
  for (uint64_t seed = 0; seed < 200; ++seed) {
    PctPolicy pct(3, seed, 20);
    lanes.Step(pct, 1000);
    RandomPolicy random(seed);
    lanes.Step(random, 1000);
    ReplayPolicy replay(nullptr, 0);
    lanes.Step(replay, 1000);
  }
}

TEST(Token, TimedWaitsEndOnVirtualTime) {
  Lanes lanes(1, [](Shared* shared, int) { WaitTenMinutes(shared); });
  ReplayPolicy policy(nullptr, 0);
  lanes.Step(policy);
  EXPECT_EQ(lanes.shared.timed_wait_errno, ETIMEDOUT);
  EXPECT_EQ(lanes.shared.virtual_seconds, 600);
}

TEST(Token, OpBoundariesAreYieldPointsOnlyForLanes) {
  Lanes lanes(2, [](Shared*, int) {
    for (int i = 0; i < 4; ++i) SchedOpBoundary();
  });
  SchedOpBoundary();
  ReplayPolicy policy(nullptr, 0);
  EXPECT_EQ(lanes.Step(policy).steps, 2u * 4 + 2);  // and an exit each
  lanes.Free();
}

TEST(Token, AHandOverTellsHowFarItsLaneHadCome) {
  Lanes lanes(2, [](Shared*, int) {
    for (int op = 0; op < 3; ++op) {
      SchedOpBoundary();
      sched_yield();
    }
  });
  // The default passes the token on at each sched_yield, and at the end.
  ReplayPolicy policy(nullptr, 0);
  SteppedRun run = lanes.Step(policy);
  ASSERT_GE(run.recorded, 3);
  EXPECT_EQ(run.record[0].from, -1);
  EXPECT_EQ(run.record[0].begun, 0u);
  EXPECT_EQ(run.record[1].from, 0);
  EXPECT_EQ(run.record[1].begun, 1u);
  EXPECT_EQ(run.record[1].into, 1u);
  const SwitchRecord& last = run.record[run.recorded - 1];
  EXPECT_EQ(last.kind, Kind::kExit);
  EXPECT_EQ(last.begun, 4u);
  EXPECT_EQ(last.into, 0u);
}

TEST(Token, ALaneThatKeepsTheTokenMakesNoStepsButWhereItWaits) {
  Lanes lanes(2, [](Shared* shared, int lane) {
    if (lane == 0) KeepToken();
    IncrementBoth(shared, 3);
    SchedOpBoundary();
    if (lane == 0) sched_yield();
    if (lane == 0) StopKeepingToken();
    SchedOpBoundary();
  });
  ReplayPolicy policy(nullptr, 0);
  SteppedRun run = lanes.Step(policy);
  // Lane 0: the yield, the second boundary, its end. Lane 1: both boundaries, its end, and what it loads and stores.
  EXPECT_EQ(run.record[1].from, 0);
  EXPECT_EQ(run.record[1].step, 1u);
  EXPECT_EQ(run.record[1].kind, Kind::kYield);
  EXPECT_EQ(lanes.shared.counter, 6);
  KeepToken();  // of no lane: nothing
  EXPECT_EQ(lanes.Step(policy).hash, run.hash);
}

TEST(Token, ALaneThatKeepsTheTokenStillWaitsForAnother) {
  Lanes lanes(2, [](Shared* shared, int lane) {
    if (lane == 0) {
      KeepToken();
      sem_wait(&shared->first);
      sem_wait(&shared->first);  // the other lane posts it
      StopKeepingToken();
    } else {
      sem_post(&shared->first);
    }
  });
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomPolicy policy(seed);
    lanes.Step(policy);
  }
}

TEST(Token, FreeAndSteppedRunsAlternate) {
  Lanes lanes(3, Locked);
  RandomPolicy policy(5);
  uint64_t hash = lanes.Step(policy).hash;
  for (int i = 0; i < 200; ++i) {
    lanes.shared = Shared();
    lanes.Free();
    EXPECT_EQ(lanes.shared.counter, 9);
    EXPECT_EQ(lanes.Step(policy).hash, hash);
  }
}

TEST(Token, StepsCountAsALivelockOnlyWhileNoOpEnds) {
  Lanes lanes(2, [](Shared*, int) {
    for (int op = 0; op < 10; ++op) {
      for (int i = 0; i < 30; ++i) sched_yield();
      SchedOpBoundary();
    }
  });
  RandomPolicy policy(1);
  EXPECT_GT(lanes.Step(policy, /*max_idle=*/100).steps, 600u);
}

__attribute__((noinline)) void Recurse(int depth) {
  for (int i = 0; i < 10; ++i) sched_yield();
  volatile char frame[512];
  frame[0] = 0;
  if (depth > 0) Recurse(depth - 1);
  for (int i = 0; i < 10; ++i) sched_yield();
  frame[1] = frame[0];
}

TEST(Token, ADeepRecursionIsNoLivelock) {
  Lanes lanes(2, [](Shared*, int) { Recurse(50); });
  RandomPolicy policy(1);
  EXPECT_GT(lanes.Step(policy, /*max_idle=*/100).steps, 2000u);
}

// ---- runs that do not end: each in a process of its own

void PrintAndExit(const StuckReport& report) {
  const char* const kWhy[] = {"deadlock", "livelock", "hang", "long-run"};
  std::fprintf(stderr, "%s stepped=%d lanes=%d\n", kWhy[static_cast<int>(report.why)], report.stepped, report.lanes);
  for (int i = 0; i < report.lanes; ++i) {
    const StuckLane& lane = report.lane[i];
    std::fprintf(stderr, "lane %d waits=%d frames=%s ", i, lane.object != nullptr, lane.frames >= 3 ? "yes" : "no");
  }
  std::fprintf(stderr, "\n");
  _exit(66);
}

class TokenDeath : public testing::Test {
 protected:
  TokenDeath() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(TokenDeath, SemaphoresInOppositeOrdersAreADeadlock) {
  EXPECT_EXIT(
      {
        SetStuckHandler(PrintAndExit);
        Lanes lanes(2, TwoOrders);
        ExhaustivePolicy policy(1);
        do lanes.Step(policy);
        while (policy.Next());
        _exit(0);
      },
      testing::ExitedWithCode(66), "deadlock stepped=1 lanes=2\nlane 0 waits=1 frames=yes lane 1 waits=1 frames=yes");
}

// What only polls cannot help the others, however long it goes on.
TEST_F(TokenDeath, SemaphoresInOppositeOrdersAreADeadlockBesideALaneThatPolls) {
  EXPECT_EXIT(
      {
        SetStuckHandler(PrintAndExit);
        Lanes lanes(3, [](Shared* shared, int lane) { lane == 2 ? PollForEver(shared) : TwoOrders(shared, lane); });
        for (uint64_t seed = 0;; ++seed) {
          RandomPolicy policy(seed);
          lanes.Step(policy, /*max_idle=*/1000);
        }
      },
      testing::ExitedWithCode(66), "deadlock stepped=1 lanes=3\nlane 0 waits=1 frames=yes lane 1 waits=1 frames=yes");
}

TEST_F(TokenDeath, WithoutAHandlerItStillSaysSo) {
  EXPECT_DEATH(
      {
        Lanes lanes(2, TwoOrders);
        ExhaustivePolicy policy(1);
        do lanes.Step(policy);
        while (policy.Next());
        _exit(0);
      },
      "refquake: sched: deadlock: every lane waits");
}

TEST_F(TokenDeath, EndlessYieldingIsALivelock) {
  EXPECT_EXIT(
      {
        SetStuckHandler(PrintAndExit);
        Lanes lanes(2, [](Shared* shared, int) { SpinUntilFlag(shared); });
        RandomPolicy policy(1);
        lanes.Step(policy);
        _exit(0);
      },
      testing::ExitedWithCode(66), "livelock stepped=1 lanes=2");
}

TEST_F(TokenDeath, TheWatchdogReportsALaneThatSpins) {
  EXPECT_EXIT(
      {
        StartWatchdog(1, PrintAndExit);
        Lanes lanes(2, [](Shared* shared, int lane) { lane == 0 ? SpinForEver(shared) : Race(shared, lane); });
        ReplayPolicy policy(nullptr, 0);
        ArmWatchdog();
        lanes.Step(policy);
        _exit(0);
      },
      testing::ExitedWithCode(66), "long-run stepped=1 lanes=2\nlane 0 waits=0 frames=yes");
}

TEST_F(TokenDeath, TheWatchdogReportsAFreeRunningLaneThatSpins) {
  EXPECT_EXIT(
      {
        StartWatchdog(1, PrintAndExit);
        Lanes lanes(2, [](Shared* shared, int lane) { lane == 1 ? SpinForEver(shared) : Race(shared, lane); });
        ArmWatchdog();
        lanes.Free();
        _exit(0);
      },
      testing::ExitedWithCode(66), "long-run stepped=0 lanes=2\n.*lane 1 waits=0 frames=yes");
}

TEST_F(TokenDeath, TheWatchdogSeesFreeRunningLanesThatAllWait) {
  EXPECT_EXIT(
      {
        StartWatchdog(1, PrintAndExit);
        Lanes lanes(2, [](Shared* shared, int lane) { lane == 1 ? WaitForEver(shared) : Race(shared, lane); });
        ArmWatchdog();
        lanes.Free();
        _exit(0);
      },
      testing::ExitedWithCode(66), "deadlock stepped=0 lanes=2\n.*lane 1 waits=0 frames=yes");
}

}  // namespace
}  // namespace refquake::sched
