#include "core/profile.h"

namespace refquake {
namespace {

constexpr Profile kProfiles[] = {
    {"lifecycle", "one lane: create, link, unlink, drop, collect", 1, 64},
    {"threads", "one to four lanes on shared objects", 4, 64},
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
