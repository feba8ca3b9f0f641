// Policies without threads: a simulation of lanes that each pass a number of yield points.
#include "sched/policy.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sched/policy_exhaustive.h"
#include "sched/policy_pct.h"
#include "sched/policy_random.h"
#include "sched/policy_replay.h"

namespace refquake::sched {
namespace {

struct Simulated {
  std::string order;             // which lane did each segment, e.g. "0011"
  std::vector<Step> departures;  // from DefaultLane
};

// Lane i does segments[i] segments, with a yield point between each two.
Simulated Simulate(Policy& policy, std::vector<int> segments) {
  Simulated result;
  policy.NewExecution(static_cast<int>(segments.size()));
  Choice choice;
  for (size_t i = 0; i < segments.size(); ++i) choice.runnable |= 1u << i;
  for (; choice.runnable != 0; ++choice.step) {
    int lane = policy.NextLane(choice);
    EXPECT_TRUE(choice.runnable >> lane & 1);
    if (lane != DefaultLane(choice)) result.departures.push_back({choice.step, lane});
    result.order += static_cast<char>('0' + lane);
    bool ends = --segments[static_cast<size_t>(lane)] == 0;
    if (ends) choice.runnable &= ~(1u << lane);
    choice.current = lane;
    choice.kind = ends ? Kind::kExit : Kind::kStore;
  }
  return result;
}

// Switches away from a lane that had segments left.
int Preemptions(const std::string& order) {
  int count = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    count += order[i] != order[i - 1] && order.find(order[i - 1], i) != std::string::npos;
  }
  return count;
}

// All orders of a lane with `a` and one with `b` segments, by brute force over bit masks.
std::set<std::string> AllOrders(int a, int b, int preemptions) {
  std::set<std::string> orders;
  for (unsigned mask = 0; mask < 1u << (a + b); ++mask) {
    if (__builtin_popcount(mask) != b) continue;
    std::string order;
    for (int i = 0; i < a + b; ++i) order += static_cast<char>('0' + (mask >> i & 1));
    if (Preemptions(order) <= preemptions) orders.insert(order);
  }
  return orders;
}

TEST(Exhaustive, EnumeratesExactlyTheOrdersWithinTheBound) {
  for (int a = 1; a <= 5; ++a) {
    for (int b = 1; b <= 5; ++b) {
      for (int bound = 0; bound <= 9; ++bound) {
        std::set<std::string> seen;
        int runs = 0;
        ExhaustivePolicy policy(bound);
        do {
          seen.insert(Simulate(policy, {a, b}).order);
          ++runs;
        } while (policy.Next());
        EXPECT_EQ(seen, AllOrders(a, b, bound)) << a << " " << b << " bound " << bound;
        EXPECT_EQ(static_cast<size_t>(runs), seen.size()) << "an order was run twice";
        EXPECT_FALSE(policy.truncated());
      }
    }
  }
}

TEST(Exhaustive, KnownCounts) {
  EXPECT_EQ(AllOrders(5, 5, 9).size(), 252u);  // 10 over 5
  EXPECT_EQ(AllOrders(4, 4, 0).size(), 2u);
  ExhaustivePolicy policy(100);
  int runs = 1;
  for (Simulate(policy, {2, 2, 2}); policy.Next(); Simulate(policy, {2, 2, 2})) ++runs;
  EXPECT_EQ(runs, 90);  // 6! / (2! 2! 2!)
}

TEST(Replay, DeparturesAloneGiveTheSameOrder) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    RandomPolicy random(seed);
    Simulated recorded = Simulate(random, {20, 7, 13});
    ReplayPolicy replay(recorded.departures.data(), static_cast<int>(recorded.departures.size()));
    EXPECT_EQ(Simulate(replay, {20, 7, 13}).order, recorded.order);
    EXPECT_EQ(replay.passed_over(), 0);
  }
}

TEST(Replay, EmptyListIsTheDefaultAndLanesThatCannotRunArePassedOver) {
  ReplayPolicy empty(nullptr, 0);
  EXPECT_EQ(Simulate(empty, {2, 3}).order, "00111");
  const Step one[] = {{1, 1}};
  ReplayPolicy preempt(one, 1);
  EXPECT_EQ(Simulate(preempt, {2, 3}).order, "01110");
  const Step impossible[] = {{1, 5}, {2, -1}, {4, 0}};
  ReplayPolicy passed(impossible, 3);
  EXPECT_EQ(Simulate(passed, {2, 3}).order, "00111");
  EXPECT_EQ(passed.passed_over(), 3);
}

TEST(Pct, SameParametersSameOrderAndDepthBoundsTheChanges) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    PctPolicy first(3, seed, 40), second(3, seed, 40);
    std::string order = Simulate(first, {20, 20}).order;
    EXPECT_EQ(Simulate(second, {20, 20}).order, order);
    EXPECT_EQ(Simulate(first, {20, 20}).order, order) << "a second execution differs";
    EXPECT_LE(Preemptions(order), 2);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 200u);
}

TEST(Pct, DepthOneNeverPreempts) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    PctPolicy policy(1, seed, 10);
    EXPECT_EQ(Preemptions(Simulate(policy, {5, 5, 5}).order), 0);
  }
}

TEST(Default, YieldGoesRound) {
  EXPECT_EQ(DefaultLane({.step = 9, .runnable = 0b111, .current = 1, .kind = Kind::kYield}), 2);
  EXPECT_EQ(DefaultLane({.step = 9, .runnable = 0b011, .current = 1, .kind = Kind::kYield}), 0);
  EXPECT_EQ(DefaultLane({.step = 9, .runnable = 0b010, .current = 1, .kind = Kind::kYield}), 1);
  EXPECT_EQ(DefaultLane({.step = 9, .runnable = 0b110, .current = 0, .kind = Kind::kBlock}), 1);
}

}  // namespace
}  // namespace refquake::sched
