// The op table's enumerations as words, for lists that other programs read.
#ifndef REFQUAKE_DRIVER_OP_NAMES_H_
#define REFQUAKE_DRIVER_OP_NAMES_H_

#include <iterator>

#include "core/op_table.h"

namespace refquake {

inline const char* FormName(Form form) {
  constexpr const char* kNames[] = {"call", "method", "get", "set", "delete", "copy", "drop"};
  static_assert(std::size(kNames) == static_cast<size_t>(Form::kDrop) + 1);
  return kNames[static_cast<size_t>(form)];
}

inline const char* KindName(OpKind kind) {
  constexpr const char* kNames[] = {"create", "link", "unlink", "read", "call", "copy", "drop", "collect"};
  static_assert(std::size(kNames) == static_cast<size_t>(OpKind::kCollect) + 1);
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_OP_NAMES_H_
