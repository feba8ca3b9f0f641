#include "driver/self_proof.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "driver/canary.h"
#include "driver/exit_codes.h"

extern char** environ;

namespace refquake {
namespace {

#if __has_feature(address_sanitizer)
constexpr const char* kProofs[] = {"use-after-free", "finding"};
#elif __has_feature(thread_sanitizer)
constexpr const char* kProofs[] = {"race", "finding"};
#else
constexpr const char* kProofs[] = {"finding"};
#endif

struct Child {
  const char* canary = nullptr;
  pid_t pid = -1;
  int output = -1;
  int error = 0;  // of its start
};

Child StartCanary(const std::string& binary, const Flags& flags, const char* canary) {
  Child child;
  child.canary = canary;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) {
    child.error = errno;
    return child;
  }
  std::vector<std::string> arguments = {binary, std::string("--canary=") + canary, "--self-proof=0",
                                        "--artefacts=/dev/null/"};
  if (!flags.home.empty()) arguments.push_back("--home=" + flags.home);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  child.error = posix_spawn(&child.pid, binary.c_str(), &actions, nullptr, argv.data(), environ);
  if (child.error != 0) child.pid = -1;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  child.output = ends[0];
  return child;
}

std::string ReadAll(int fd) {
  std::string all;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got > 0) {
      all.append(buffer, static_cast<size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      close(fd);
      return all;
    }
  }
}

std::string LastLines(const std::string& text) {
  const size_t from = text.size() > 600 ? text.size() - 600 : 0;
  return text.substr(from);
}

// The empty string if the canary was reported.
std::string Judge(const Child& child) {
  const std::string name = child.canary;
  if (child.pid < 0) return "cannot start the canary '" + name + "': " + std::strerror(child.error);
  const std::string output = ReadAll(child.output);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  const bool reported =
      WIFEXITED(status) && WEXITSTATUS(status) == kExitFinding && output.find(CanaryReport(name)) != std::string::npos;
  if (reported) return "";
  return "self-proof failed: the planted '" + name +
         "' was not reported, so no finding could be trusted to show. It printed:\n" + LastLines(output);
}

}  // namespace

std::optional<std::string> ProveSelf(const char* binary, const Flags& flags) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  const std::string path = length > 0 ? std::string(self, static_cast<size_t>(length)) : binary;
  std::vector<Child> children;
  for (const char* canary : kProofs) children.push_back(StartCanary(path, flags, canary));
  std::string error;
  for (const Child& child : children) {
    const std::string failure = Judge(child);
    if (error.empty()) error = failure;
  }
  if (error.empty()) return std::nullopt;
  return error;
}

}  // namespace refquake
