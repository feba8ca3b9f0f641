#include "driver/mutator.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/bytes.h"
#include "core/generate.h"
#include "core/mutate.h"
#include "core/rng.h"
#include "driver/name_list.h"

// libFuzzer's own byte mutations.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace refquake {
namespace {

// Shares of the mutations, in percent; the rest are structured.
constexpr uint64_t kFreshPrograms = 8;
constexpr uint64_t kByteMutations = 5;
constexpr uint64_t kMaxSteps = 4;
// How long a choice of op kinds is kept, in mutations: long enough for programs without whole kinds to
// come about and be kept.
constexpr uint32_t kSwarmPeriod = 2000;

KindMask CurrentSwarm(uint32_t seed) {
  static uint32_t left = 0;
  static KindMask kinds = kAllKinds;
  if (left-- == 0) {
    kinds = SwarmKinds(seed);
    left = kSwarmPeriod;
  }
  return kinds;
}

MutateLimits LimitsFor(const Profile& profile, size_t max_size, uint32_t seed) {
  const size_t room = max_size > kHeaderBytes ? (max_size - kHeaderBytes) / kInstructionBytes : 0;
  return {.max_lanes = profile.max_lanes,
          .max_ops = std::min(room, static_cast<size_t>(profile.max_ops)),
          .kinds = CurrentSwarm(seed)};
}

size_t Store(const Program& program, std::span<uint8_t> out) {
  const std::vector<uint8_t> bytes = EncodeBytes(program);
  if (bytes.size() > out.size()) return 0;
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return bytes.size();
}

}  // namespace

size_t MutateBytes(uint8_t* data, size_t size, size_t max_size, uint32_t seed, const OpTable& table,
                   const Profile& profile, MutatorMask mutators) {
  Rng rng(seed);
  const MutateLimits limits = LimitsFor(profile, max_size, seed);
  const uint64_t choice = rng.Below(100);
  if (limits.max_ops == 0 || choice < kByteMutations) return LLVMFuzzerMutate(data, size, max_size);
  Program program;
  if (size <= kHeaderBytes || choice < kByteMutations + kFreshPrograms) {
    program = Generate(table, limits, rng.Next());
  } else {
    DecodeBytes({data, size}, table, {.max_lanes = profile.max_lanes}, program);
    for (uint64_t steps = 1 + rng.Below(kMaxSteps); steps > 0; --steps)
      Mutate(program, table, limits, rng.Next(), mutators);
  }
  const size_t stored = Store(program, {data, max_size});
  return stored > 0 ? stored : LLVMFuzzerMutate(data, size, max_size);
}

size_t CrossOverBytes(std::span<const uint8_t> a, std::span<const uint8_t> b, std::span<uint8_t> out, uint32_t seed,
                      const OpTable& table, const Profile& profile) {
  Rng rng(seed);
  const MutateLimits limits = LimitsFor(profile, out.size(), seed);
  if (limits.max_ops == 0) return 0;
  Program first;
  Program second;
  DecodeBytes(a, table, {.max_lanes = profile.max_lanes}, first);
  DecodeBytes(b, table, {.max_lanes = profile.max_lanes}, second);
  return Store(CrossOver(first, second, table, limits, rng.Next()), out);
}

std::optional<MutatorMask> ParseMutators(std::string_view names) {
  if (names.empty()) return kAllMutators;
  return MaskOfNames(names, MutatorNamed);
}

}  // namespace refquake
