#include "python/living.h"

#include <gtest/gtest.h>

#include "python/address_map.h"

namespace refquake {
namespace {

PyObject* At(uintptr_t address) { return reinterpret_cast<PyObject*>(address); }

BirthOrDeath Birth(uintptr_t address) { return {At(address), 0, {}, true}; }
BirthOrDeath Death(uintptr_t address) { return {At(address), 0, {}, false}; }

std::vector<PyObject*> Listed(Living& living) {
  std::vector<PyObject*> instances;
  living.List(instances);
  return instances;
}

TEST(LivingTest, CountsLanesInAnyOrder) {
  Living living;
  living.Apply(std::vector{Death(16)});  // freed in one lane what another made
  living.Apply(std::vector{Birth(16), Birth(32)});
  living.Settle();
  EXPECT_EQ(Listed(living), std::vector{At(32)});
}

TEST(LivingTest, RemembersWhatWasAcceptedForAsLongAsTheInstanceLives) {
  Living living;
  living.Apply(std::vector{Birth(16), Birth(32)});
  living.Accept(At(16), 2);
  living.NextRun();
  EXPECT_EQ(living.Accepted(At(16)), 2);
  EXPECT_EQ(living.Accepted(At(32)), 0);
  living.Apply(std::vector{Death(16)});
  living.Apply(std::vector{Birth(16)});  // another instance in the same memory
  EXPECT_EQ(living.Accepted(At(16)), 0);
}

TEST(LivingTest, ForgetsDeathsWithoutBirth) {
  Living living;
  living.Apply(std::vector{Death(16)});
  living.Settle();
  living.Apply(std::vector{Birth(16)});
  living.Settle();
  EXPECT_EQ(Listed(living), std::vector{At(16)});
}

TEST(LivingTest, SurvivorsAreOldInTheNextRun) {
  Living living;
  living.Apply(std::vector{Birth(16)});
  living.Settle();
  EXPECT_TRUE(living.AnyNew());
  living.NextRun();
  EXPECT_FALSE(living.AnyNew());
  EXPECT_EQ(Listed(living), std::vector{At(16)});
}

TEST(LivingTest, AdoptsOnce) {
  Living living;
  EXPECT_TRUE(living.Adopt(At(16)));
  EXPECT_FALSE(living.Adopt(At(16)));
  EXPECT_TRUE(living.AnyNew());
  living.Apply(std::vector{Death(16)});
  living.Settle();
  EXPECT_TRUE(living.Empty());
}

TEST(AddressMapTest, GrowsAndKeepsInsertionOrder) {
  AddressMap<int> map;
  for (uintptr_t i = 1; i <= 1000; ++i) map[At(i * 16)] = static_cast<int>(i);
  int expected = 0;
  for (auto& entry : map) EXPECT_EQ(entry.value, ++expected);
  EXPECT_EQ(expected, 1000);
  EXPECT_EQ(*map.Find(At(16 * 500)), 500);
  EXPECT_EQ(map.Find(At(8)), nullptr);
  map.Clear();
  EXPECT_EQ(map.Find(At(16 * 500)), nullptr);
}

}  // namespace
}  // namespace refquake
