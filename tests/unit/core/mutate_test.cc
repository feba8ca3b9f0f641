#include "core/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/bytes.h"
#include "core/generate.h"
#include "core/text.h"
#include "random_programs.h"
#include "sample_tables.h"

namespace refquake {
namespace {

constexpr char kStart[] =
    "target: node\n"
    "phase:\n lane:\n  a = Node()\n  b = Node()\n  a.next = b\n  c = Node()\n"
    "phase:\n lane:\n  a.push(b)\n  d = a.next\n lane:\n  del b.next\n  d = a.pop()\n  gc.collect()\n"
    "phase:\n lane:\n  e = len(a)\n  del a\n";

using OpKey = std::tuple<uint16_t, uint8_t, std::array<uint8_t, kMaxArgs>>;

std::vector<OpKey> SortedOps(const Program& p) {
  std::vector<OpKey> keys;
  for (const Phase& phase : p.phases) {
    for (const Lane& lane : phase.lanes) {
      for (const Op& op : lane) {
        keys.push_back({op.op, op.dst, {op.args[0].code, op.args[1].code, op.args[2].code, op.args[3].code}});
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Every op with the one at the same place of a program of the same shape.
std::vector<std::pair<Op, Op>> Differences(const Program& a, const Program& b) {
  std::vector<std::pair<Op, Op>> out;
  for (size_t i = 0; i < a.phases.size(); ++i) {
    for (size_t j = 0; j < a.phases[i].lanes.size(); ++j) {
      for (size_t k = 0; k < a.phases[i].lanes[j].size(); ++k) {
        const Op& left = a.phases[i].lanes[j][k];
        const Op& right = b.phases.at(i).lanes.at(j).at(k);
        if (left != right) out.push_back({left, right});
      }
    }
  }
  return out;
}

class MutateTest : public ::testing::Test {
 protected:
  MutateTest() {
    ParsedText parsed = ParseText(kStart, table_);
    EXPECT_FALSE(parsed.error) << parsed.error->ToString("start");
    start_ = parsed.program;
  }

  // Calls `check(mutated)` for many seeds of one mutator.
  template <typename Check>
  void Each(Mutator mutator, Check check) {
    int changed = 0;
    for (uint64_t seed = 0; seed < 300; ++seed) {
      Program p = start_;
      std::optional<Mutator> by = Mutate(p, table_, limits_, seed, MaskOf(mutator));
      if (!by) {
        ASSERT_EQ(p, start_);
        continue;
      }
      ASSERT_EQ(*by, mutator);
      ASSERT_NE(p, start_);
      ++changed;
      check(p);
      if (HasFatalFailure()) FAIL() << "seed " << seed << "\n" << PrintText(p, table_, "");
    }
    EXPECT_GT(changed, 50) << MutatorName(mutator);
  }

  OpTable table_ = NodeTable();
  Program start_;
  MutateLimits limits_{.max_lanes = 4, .max_ops = 64};
};

TEST_F(MutateTest, NamesAreUniqueAndFindTheirMutator) {
  std::set<std::string_view> names;
  for (int i = 0; i < kMutators; ++i) {
    auto mutator = static_cast<Mutator>(i);
    EXPECT_TRUE(names.insert(MutatorName(mutator)).second);
    EXPECT_EQ(MutatorNamed(MutatorName(mutator)), mutator);
  }
  EXPECT_EQ(MutatorNamed("nothing"), std::nullopt);
}

TEST_F(MutateTest, InsertAddsOneOp) {
  Each(Mutator::kInsert, [&](const Program& p) {
    ASSERT_EQ(p.NumOps(), start_.NumOps() + 1);
    std::vector<OpKey> before = SortedOps(start_);
    std::vector<OpKey> after = SortedOps(p);
    ASSERT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  });
}

TEST_F(MutateTest, RemoveTakesUpToFourOps) {
  Each(Mutator::kRemove, [&](const Program& p) {
    ASSERT_LT(p.NumOps(), start_.NumOps());
    ASSERT_GE(p.NumOps() + 4, start_.NumOps());
  });
}

TEST_F(MutateTest, DuplicateAddsAnOpThatWasThere) {
  std::vector<OpKey> before = SortedOps(start_);
  Each(Mutator::kDuplicate, [&](const Program& p) {
    ASSERT_EQ(p.NumOps(), start_.NumOps() + 1);
    for (const OpKey& key : SortedOps(p)) ASSERT_TRUE(std::binary_search(before.begin(), before.end(), key));
  });
}

TEST_F(MutateTest, MoveKeepsTheOpsOfEachLane) {
  Each(Mutator::kMove, [&](const Program& p) {
    ASSERT_EQ(SortedOps(p), SortedOps(start_));
    for (size_t i = 0; i < p.phases.size(); ++i) {
      ASSERT_EQ(SortedOps({.phases = {p.phases[i]}}), SortedOps({.phases = {start_.phases[i]}}));
    }
  });
}

TEST_F(MutateTest, SwapKeepsOpsAndShape) {
  Each(Mutator::kSwap, [&](const Program& p) {
    ASSERT_EQ(SortedOps(p), SortedOps(start_));
    ASSERT_EQ(Differences(start_, p).size(), 2u);
  });
}

TEST_F(MutateTest, ArgumentChangesOneArgument) {
  Each(Mutator::kArgument, [&](const Program& p) {
    auto differences = Differences(start_, p);
    ASSERT_EQ(differences.size(), 1u);
    auto [before, after] = differences[0];
    ASSERT_EQ(before.op, after.op);
    ASSERT_EQ(before.dst, after.dst);
    int changed = 0;
    for (size_t i = 0; i < kMaxArgs; ++i) changed += before.args[i] != after.args[i];
    ASSERT_EQ(changed, 1);
  });
}

TEST_F(MutateTest, ResultChangesOneResult) {
  Each(Mutator::kResult, [&](const Program& p) {
    auto differences = Differences(start_, p);
    ASSERT_EQ(differences.size(), 1u);
    differences[0].first.dst = differences[0].second.dst;
    ASSERT_EQ(differences[0].first, differences[0].second);
  });
}

TEST_F(MutateTest, ReplaceKeepsKindOrOwner) {
  Each(Mutator::kReplace, [&](const Program& p) {
    auto differences = Differences(start_, p);
    ASSERT_EQ(differences.size(), 1u);
    const OpSpec& before = table_.op(differences[0].first.op);
    const OpSpec& after = table_.op(differences[0].second.op);
    ASSERT_NE(differences[0].first.op, differences[0].second.op);
    ASSERT_TRUE(before.kind == after.kind || (!before.owners.empty() && before.owners == after.owners));
    if (before.nargs > 0 && after.nargs > 0) ASSERT_EQ(differences[0].first.args[0], differences[0].second.args[0]);
  });
}

TEST_F(MutateTest, CollideMakesTwoLanesMeetOnASharedObject) {
  int same = 0;
  int attribute = 0;
  int several = 0;
  std::vector<OpKey> before = SortedOps(start_);
  Each(Mutator::kCollide, [&](const Program& p) {
    std::vector<OpKey> added;
    std::vector<OpKey> after = SortedOps(p);
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(added));
    ASSERT_EQ(p.NumOps(), start_.NumOps() + added.size());
    ASSERT_TRUE(added.size() >= 1 && added.size() <= 3);
    several += added.size() > 1;
    const OpSpec& spec = table_.op(std::get<0>(added[0]));
    uint8_t slot = std::get<2>(added[0])[0];
    same += std::binary_search(before.begin(), before.end(), added[0]);
    attribute += spec.name == "next";
    bool met = false;
    for (const Phase& phase : p.phases) {
      size_t lanes = 0;
      for (const Lane& lane : phase.lanes) {
        lanes += std::any_of(lane.begin(), lane.end(), [&](const Op& op) {
          size_t nargs = table_.op(op.op).nargs;
          return nargs == 0 ||
                 std::any_of(op.args.begin(), op.args.begin() + nargs, [&](Arg arg) { return arg == Arg::Slot(slot); });
        });
      }
      met |= lanes >= 2 || (spec.nargs == 0 && phase.lanes.size() >= 2);
    }
    ASSERT_TRUE(met);
  });
  EXPECT_GT(same, 20);
  EXPECT_GT(attribute, 20);
  EXPECT_GT(several, 20);
}

TEST_F(MutateTest, CollidePutsABarrierBehindWhatTheLaneMadeItself) {
  start_.phases.resize(1);
  bool split = false;
  Each(Mutator::kCollide, [&](const Program& p) {
    size_t last = p.phases.size() - 1;
    ASSERT_GE(p.phases[last].lanes.size(), 2u);
    split |= last == 1;
    if (last == 1) return;
    for (const Op& op : p.phases[0].lanes[1]) ASSERT_EQ(table_.op(op.op).nargs, 0) << "its object is another lane's";
  });
  EXPECT_TRUE(split);
}

TEST_F(MutateTest, SplitAddsABarrierAndKeepsTheOps) {
  Each(Mutator::kSplit, [&](const Program& p) {
    ASSERT_EQ(SortedOps(p), SortedOps(start_));
    ASSERT_EQ(p.phases.size(), start_.phases.size() + 1);
  });
}

TEST_F(MutateTest, MergeRemovesABarrierAndKeepsTheOps) {
  size_t widest = 0;
  Each(Mutator::kMerge, [&](const Program& p) {
    ASSERT_EQ(SortedOps(p), SortedOps(start_));
    ASSERT_EQ(p.phases.size(), start_.phases.size() - 1);
    widest = std::max(widest, static_cast<size_t>(p.MaxLanes()));
  });
  EXPECT_EQ(widest, 3u) << "beside each other at times";
}

TEST_F(MutateTest, BarrierMovesOneOpIntoTheNextPhase) {
  Each(Mutator::kBarrier, [&](const Program& p) {
    ASSERT_EQ(SortedOps(p), SortedOps(start_));
    ASSERT_EQ(p.phases.size(), start_.phases.size());
    int changed = 0;
    for (size_t i = 0; i < p.phases.size(); ++i) {
      auto size = [&](const Program& q) { return Program{.phases = {q.phases[i]}}.NumOps(); };
      changed += size(p) != size(start_);
    }
    ASSERT_EQ(changed, 2);
  });
}

TEST_F(MutateTest, LaneMovesOneOpBesideItsPhase) {
  Each(Mutator::kLane, [&](const Program& p) {
    ASSERT_EQ(p.phases.size(), start_.phases.size());
    for (size_t i = 0; i < p.phases.size(); ++i) {
      ASSERT_EQ(SortedOps({.phases = {p.phases[i]}}), SortedOps({.phases = {start_.phases[i]}}));
    }
  });
}

TEST_F(MutateTest, GrowAppendsARun) {
  Each(Mutator::kGrow, [&](const Program& p) {
    ASSERT_GE(p.NumOps(), start_.NumOps() + 2);
    ASSERT_LE(p.NumOps(), start_.NumOps() + 8);
    ASSERT_EQ(p.phases[0], start_.phases[0]);
    ASSERT_EQ(p.phases[1], start_.phases[1]);
  });
}

TEST_F(MutateTest, ScheduleChangesNothingElse) {
  std::set<Policy> policies;
  Each(Mutator::kSchedule, [&](const Program& p) {
    ASSERT_EQ(p.phases, start_.phases);
    policies.insert(p.schedule.policy);
  });
  EXPECT_EQ(policies, (std::set<Policy>{Policy::kPct, Policy::kRandom}));
  start_.schedule = {.policy = Policy::kReplay, .switches = {{12, 1}, {40, 0}}};
  Each(Mutator::kSchedule, [&](const Program& p) { ASSERT_EQ(p.phases, start_.phases); });
}

TEST_F(MutateTest, IsTheSameFromTheSameSeed) {
  std::set<std::vector<uint8_t>> seen;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Program a = start_;
    Program b = start_;
    EXPECT_EQ(Mutate(a, table_, limits_, seed), Mutate(b, table_, limits_, seed));
    EXPECT_EQ(a, b);
    seen.insert(EncodeBytes(a));
  }
  EXPECT_GT(seen.size(), 300u);
}

TEST_F(MutateTest, MasksLeaveMutatorsOut) {
  Program p = start_;
  EXPECT_EQ(Mutate(p, table_, limits_, 1, 0), std::nullopt);
  EXPECT_EQ(p, start_);
  std::map<Mutator, int> used;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    p = start_;
    std::optional<Mutator> by = Mutate(p, table_, limits_, seed, kAllMutators & ~MaskOf(Mutator::kInsert));
    ASSERT_TRUE(by);
    ++used[*by];
  }
  EXPECT_EQ(used.count(Mutator::kInsert), 0u);
  EXPECT_EQ(used.size(), static_cast<size_t>(kMutators) - 1);
}

TEST_F(MutateTest, StartsFromNothingAndStopsWithoutOps) {
  Program p;
  EXPECT_TRUE(Mutate(p, table_, {.max_lanes = 1}, 1));
  EXPECT_GE(p.NumOps(), 1u);
  EXPECT_EQ(Mutate(p, OpTable("empty"), limits_, 1), std::nullopt);
  EXPECT_EQ(p, Program{});
}

TEST_F(MutateTest, SingleLaneStaysSingle) {
  MutateLimits single{.max_lanes = 1, .max_ops = 64};
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Program p = start_;
    std::optional<Mutator> by = Mutate(p, table_, single, seed);
    ASSERT_LE(p.MaxLanes(), 1);
    ASSERT_EQ(p.schedule, Schedule{});
    ASSERT_TRUE(by != Mutator::kCollide && by != Mutator::kLane && by != Mutator::kSchedule);
  }
}

TEST_F(MutateTest, StaysCanonicalAndWithinLimitsForAHundredThousandMutations) {
  std::vector<OpTable> tables = {NodeTable(), NastyTable()};
  Rng rng(5);
  Program p;
  Program other;
  for (int i = 0; i < 100000; ++i) {
    const OpTable& table = tables[static_cast<size_t>(i) / 50000];
    MutateLimits limits{.max_lanes = 1 + static_cast<int>(rng.Below(kMaxLanes)), .max_ops = 1 + rng.Below(48)};
    if (i % 1000 == 0) p = RandomProgram(rng, table);
    if (i % 100 == 0) other = RandomProgram(rng, table);
    if (rng.Chance(1, 50)) {
      p = CrossOver(p, other, table, limits, rng.Next());
    } else {
      Mutate(p, table, limits, rng.Next());
    }
    ASSERT_NO_FATAL_FAILURE(ExpectWellFormed(p, table)) << i;
    ASSERT_TRUE(IsCanonical(p, table)) << i;
    ASSERT_LE(p.MaxLanes(), limits.max_lanes) << i;
    std::vector<uint8_t> bytes = EncodeBytes(p);
    ASSERT_LE(bytes.size(), kHeaderBytes + kInstructionBytes * limits.max_ops) << i;
    Program decoded;
    DecodeBytes(bytes, table, {.max_lanes = limits.max_lanes}, decoded);
    ASSERT_EQ(decoded, p) << i;
  }
}

TEST_F(MutateTest, CrossOverTakesFromBoth) {
  Program other = Generate(table_, limits_, 9);
  other.schedule = {.policy = Policy::kRandom, .seed = 77};
  std::vector<OpKey> ours = SortedOps(start_);
  std::vector<OpKey> theirs = SortedOps(other);
  int both = 0;
  std::set<Policy> policies;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Program p = CrossOver(start_, other, table_, limits_, seed);
    EXPECT_EQ(p, CrossOver(start_, other, table_, limits_, seed));
    policies.insert(p.schedule.policy);
    bool from_ours = false;
    bool from_theirs = false;
    for (const OpKey& key : SortedOps(p)) {
      bool in_ours = std::binary_search(ours.begin(), ours.end(), key);
      bool in_theirs = std::binary_search(theirs.begin(), theirs.end(), key);
      ASSERT_TRUE(in_ours || in_theirs);
      from_ours |= in_ours && !in_theirs;
      from_theirs |= in_theirs && !in_ours;
    }
    both += from_ours && from_theirs;
  }
  EXPECT_GT(both, 300);
  EXPECT_EQ(policies.size(), 2u);
  EXPECT_EQ(CrossOver({}, start_, table_, limits_, 1).phases, start_.phases);
  EXPECT_EQ(CrossOver({}, {}, table_, limits_, 1), Program{});
}

}  // namespace
}  // namespace refquake
