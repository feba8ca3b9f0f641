#include "sched/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace refquake::sched {
namespace {

struct Rounds {
  std::atomic<int> runs[kMaxLanes] = {};
  std::vector<int> order;  // RunOnEach only: one worker at a time
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  int lanes = 0;
};

void Count(int lane, void* context) { ++static_cast<Rounds*>(context)->runs[lane]; }
void Append(int lane, void* context) { static_cast<Rounds*>(context)->order.push_back(lane); }

// Ends only when every lane is inside at once: hangs if lanes do not overlap.
void Meet(int, void* context) {
  Rounds* rounds = static_cast<Rounds*>(context);
  ++rounds->inside;
  while (rounds->inside.load() < rounds->lanes) std::this_thread::yield();
}

class PoolLanes : public testing::TestWithParam<int> {};

TEST_P(PoolLanes, EveryLaneRunsOnceInEveryRound) {
  Rounds rounds;
  Pool pool;
  pool.Start(GetParam(), Count, &rounds);
  for (int i = 0; i < 2000; ++i) pool.RunFree(GetParam());
  for (int lane = 0; lane < kMaxLanes; ++lane) EXPECT_EQ(rounds.runs[lane], lane < GetParam() ? 2000 : 0);
}

TEST_P(PoolLanes, LanesRunAtTheSameTime) {
  Rounds rounds;
  rounds.lanes = GetParam();
  Pool pool;
  pool.Start(GetParam(), Meet, &rounds);
  for (int i = 0; i < 5; ++i) {
    rounds.inside = 0;
    pool.RunFree(GetParam());
    EXPECT_EQ(rounds.inside, GetParam());
  }
}

TEST_P(PoolLanes, FewerLanesThanWorkers) {
  Rounds rounds;
  Pool pool;
  pool.Start(kMaxLanes, Count, &rounds);
  for (int i = 0; i < 500; ++i) pool.RunFree(GetParam());
  for (int lane = 0; lane < kMaxLanes; ++lane) EXPECT_EQ(rounds.runs[lane], lane < GetParam() ? 500 : 0);
}

TEST_P(PoolLanes, OneAfterAnotherInOrder) {
  Rounds rounds;
  Pool pool;
  pool.Start(GetParam(), Count, &rounds);
  std::vector<int> expected;
  for (int i = 0; i < 200; ++i) {
    pool.RunOnEach(GetParam(), Append, &rounds);  // a plain vector: a race here is a broken edge
    for (int lane = 0; lane < GetParam(); ++lane) expected.push_back(lane);
  }
  EXPECT_EQ(rounds.order, expected);
}

INSTANTIATE_TEST_SUITE_P(Lanes, PoolLanes, testing::Range(1, kMaxLanes + 1));

TEST(PoolDeath, WrongUseSaysWhat) {
  Pool pool;
  EXPECT_DEATH(pool.RunFree(1), "no more than there are workers");
  EXPECT_DEATH(pool.Start(9, Count, nullptr), "must be 1 to 8");
}

}  // namespace
}  // namespace refquake::sched
