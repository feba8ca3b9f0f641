// Which mutation an input gets: mostly of programs, at times of bytes.
//
//   size_t size = MutateBytes(data, size, max_size, seed, session.table(), session.profile(), kAllMutators);
//
// Contract: as LLVMFuzzerCustomMutator: works in place, never returns more than max_size. Bytes that
// are no canonical program become one.
#ifndef REFQUAKE_DRIVER_MUTATOR_H_
#define REFQUAKE_DRIVER_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/mutate.h"
#include "core/op_table.h"
#include "core/profile.h"

namespace refquake {

size_t MutateBytes(uint8_t* data, size_t size, size_t max_size, uint32_t seed, const OpTable& table,
                   const Profile& profile, MutatorMask mutators);

// As LLVMFuzzerCustomCrossOver: writes a program with parts of both to `out`.
size_t CrossOverBytes(std::span<const uint8_t> a, std::span<const uint8_t> b, std::span<uint8_t> out, uint32_t seed,
                      const OpTable& table, const Profile& profile);

// "insert,collide" as a mask; nothing if a name is unknown. The empty text is all of them.
std::optional<MutatorMask> ParseMutators(std::string_view names);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_MUTATOR_H_
