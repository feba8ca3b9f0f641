// A profile: which programs a fuzz target makes.
//
//   const Profile* profile = FindProfile("threads");   // null if there is none of that name
#ifndef REFQUAKE_CORE_PROFILE_H_
#define REFQUAKE_CORE_PROFILE_H_

#include <span>
#include <string_view>

namespace refquake {

struct Profile {
  std::string_view name;
  std::string_view what;
  int max_lanes;
  int max_ops;  // of a program; shorter programs keep ThreadSanitizer's history whole
  bool fights = false;            // values fight back: one lane only
  bool fail_allocations = false;  // each op first runs with its allocations failing one by one
};

std::span<const Profile> Profiles();
const Profile* FindProfile(std::string_view name);

}  // namespace refquake

#endif  // REFQUAKE_CORE_PROFILE_H_
