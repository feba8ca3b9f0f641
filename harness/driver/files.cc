#include "driver/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace refquake {

std::optional<std::string> ReadFile(const std::string& path, std::string& content) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return path + ": is a directory";
  if (std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code)) {
    return path + ": not a regular file";  // a pipe may never end
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return path + ": " + std::strerror(errno);
  std::ostringstream all;
  if (in.peek() != std::ifstream::traits_type::eof()) all << in.rdbuf();
  if (in.bad()) return path + ": cannot be read";
  content = std::move(all).str();
  if (content.size() > kMaxFileBytes) return path + ": larger than 64 MiB, not a program";
  return std::nullopt;
}

std::optional<std::string> WriteFile(const std::string& path, const std::string& content) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return path + ": is a directory";
  if (std::filesystem::is_other(path, unknown)) return path + ": not a regular file";  // never rename over a device
  const std::string beside = path + ".part";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!out.flush()) {
      const std::string error = path + ": " + std::strerror(errno);
      std::filesystem::remove(beside, unknown);
      return error;
    }
  }
  std::error_code code;
  std::filesystem::rename(beside, path, code);
  if (!code) return std::nullopt;
  std::filesystem::remove(beside, unknown);
  return path + ": " + code.message();
}

}  // namespace refquake
