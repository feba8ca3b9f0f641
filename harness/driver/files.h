// Whole files in and out; errors are texts for people.
#ifndef REFQUAKE_DRIVER_FILES_H_
#define REFQUAKE_DRIVER_FILES_H_

#include <optional>
#include <string>

namespace refquake {

// Returns an error text, or nothing on success. At most `kMaxFileBytes` are read.
inline constexpr size_t kMaxFileBytes = 64u << 20;
std::optional<std::string> ReadFile(const std::string& path, std::string& content);

// Writes beside, then renames: a reader sees the old content or the new. Nothing is left beside on failure.
std::optional<std::string> WriteFile(const std::string& path, const std::string& content);

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_FILES_H_
