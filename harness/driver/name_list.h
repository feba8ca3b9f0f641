// A flag's value that lists names: "insert,collide" as a mask.
//
//   std::optional<uint32_t> mask = MaskOfNames("a,c", [](std::string_view name) -> std::optional<int> {...});
//
// Contract: `index_of` tells a name's bit; nothing if it knows one of them not. An empty list has no bits.
#ifndef REFQUAKE_DRIVER_NAME_LIST_H_
#define REFQUAKE_DRIVER_NAME_LIST_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace refquake {

template <typename IndexOf>
std::optional<uint32_t> MaskOfNames(std::string_view names, IndexOf index_of) {
  uint32_t mask = 0;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    const auto index = index_of(names.substr(0, comma));
    if (!index) return std::nullopt;
    mask |= 1u << static_cast<int>(*index);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return mask;
}

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_NAME_LIST_H_
