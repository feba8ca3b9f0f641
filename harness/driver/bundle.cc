#include "driver/bundle.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver/fuzz_target.h"

namespace refquake {
namespace {

std::string OwnFolder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  const std::string self(path, length > 0 ? static_cast<size_t>(length) : 0);
  return self.substr(0, self.rfind('/'));
}

bool IsFolder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

bool IsBundled() { return &refquake_bundled_module != nullptr; }

void ApplyBundle(Flags& flags) {
  const std::string folder = OwnFolder();
  if (flags.home.empty() && IsFolder(folder + "/python")) flags.home = folder + "/python";
  if (flags.self_proof.empty()) flags.self_proof = IsBundled() ? "0" : "1";
  if (flags.schedule.empty()) flags.schedule = IsBundled() ? "stepped" : "mixed";
  if (!IsBundled() || !flags.module.empty()) return;
  flags.module = refquake_bundled_module;
  flags.path.push_back(folder + "/modules/" + flags.module);
}

void AbortWithFinding(const char* artefact) {
  if (artefact) std::fprintf(stderr, "artifact_prefix='./'; Test unit written to %s\n", artefact);
  std::fflush(stderr);
  std::abort();
}

}  // namespace refquake
