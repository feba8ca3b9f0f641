#include "driver/mutator.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/bytes.h"
#include "core/generate.h"
#include "core/mutate.h"
#include "core/rng.h"

// libFuzzer's own byte mutations.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace refquake {
namespace {

// Shares of the mutations, in percent; the rest are structured.
constexpr uint64_t kFreshPrograms = 8;
constexpr uint64_t kByteMutations = 5;
constexpr uint64_t kMaxSteps = 4;

MutateLimits LimitsFor(const Profile& profile, size_t max_size, uint64_t seed) {
  const size_t room = max_size > kHeaderBytes ? (max_size - kHeaderBytes) / kInstructionBytes : 0;
  return {.max_lanes = profile.max_lanes,
          .max_ops = std::min(room, static_cast<size_t>(profile.max_ops)),
          .kinds = SwarmKinds(seed)};
}

size_t Store(const Program& program, std::span<uint8_t> out) {
  const std::vector<uint8_t> bytes = EncodeBytes(program);
  if (bytes.size() > out.size()) return 0;
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return bytes.size();
}

}  // namespace

size_t MutateBytes(uint8_t* data, size_t size, size_t max_size, uint32_t seed, const OpTable& table,
                   const Profile& profile) {
  Rng rng(seed);
  const MutateLimits limits = LimitsFor(profile, max_size, rng.Next());
  const uint64_t choice = rng.Below(100);
  if (limits.max_ops == 0 || choice < kByteMutations) return LLVMFuzzerMutate(data, size, max_size);
  Program program;
  if (size <= kHeaderBytes || choice < kByteMutations + kFreshPrograms) {
    program = Generate(table, limits, rng.Next());
  } else {
    DecodeBytes({data, size}, table, {.max_lanes = profile.max_lanes}, program);
    for (uint64_t steps = 1 + rng.Below(kMaxSteps); steps > 0; --steps) Mutate(program, table, limits, rng.Next());
  }
  const size_t stored = Store(program, {data, max_size});
  return stored > 0 ? stored : LLVMFuzzerMutate(data, size, max_size);
}

size_t CrossOverBytes(std::span<const uint8_t> a, std::span<const uint8_t> b, std::span<uint8_t> out, uint32_t seed,
                      const OpTable& table, const Profile& profile) {
  Rng rng(seed);
  const MutateLimits limits = LimitsFor(profile, out.size(), rng.Next());
  if (limits.max_ops == 0) return 0;
  Program first;
  Program second;
  DecodeBytes(a, table, {.max_lanes = profile.max_lanes}, first);
  DecodeBytes(b, table, {.max_lanes = profile.max_lanes}, second);
  return Store(CrossOver(first, second, table, limits, rng.Next()), out);
}

}  // namespace refquake
