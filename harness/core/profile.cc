#include "core/profile.h"

namespace refquake {
namespace {

constexpr Profile kProfiles[] = {
    {"lifecycle", "one lane: create, link, unlink, drop, collect", 1, 64},
    {"threads", "one to four lanes on shared objects", 4, 64},
    {"reentry", "one lane: values whose methods collect, drop, call back, detach and resurrect", 1, 64, true},
    {"nomem", "one lane: each op first with its allocations failing one by one", 1, 32, false, true},
};

}  // namespace

std::span<const Profile> Profiles() { return kProfiles; }

const Profile* FindProfile(std::string_view name) {
  for (const Profile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

}  // namespace refquake
