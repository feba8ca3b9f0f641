// The byte form of a program, for libFuzzer: fixed-width instructions, every byte string valid.
// The layout is in docs/architecture.md, "Bytes".
//
//   Program p;
//   DecodeBytes(data, table, {.max_lanes = 4}, p);
//   std::vector<uint8_t> same = EncodeBytes(p);
//
// Contract: DecodeBytes never fails and yields a canonical program; decode(encode(p)) == p.
#ifndef REFQUAKE_CORE_BYTES_H_
#define REFQUAKE_CORE_BYTES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/program.h"

namespace refquake {

inline constexpr size_t kHeaderBytes = 8;
inline constexpr size_t kInstructionBytes = 8;

struct DecodeLimits {
  int max_lanes = kMaxLanes;  // lanes are taken modulo this
};

// `program` is overwritten; its storage is reused.
void DecodeBytes(std::span<const uint8_t> bytes, const OpTable& table, const DecodeLimits& limits, Program& program);
std::vector<uint8_t> EncodeBytes(const Program& program);

}  // namespace refquake

#endif  // REFQUAKE_CORE_BYTES_H_
