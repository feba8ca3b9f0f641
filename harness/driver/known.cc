#include "driver/known.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "driver/flight_recorder.h"

namespace refquake {
namespace {

// The file, mapped; a copy of it in the heap would be one more thing to keep from the sanitizers.
const char* g_known = nullptr;
size_t g_known_size = 0;
// A frequent finding must not fill the log: what a reader needs is that it was passed, and in which input.
constexpr int kMaxLines = 1000;
int g_lines = 0;

bool Contains(const char* signature) {
  const size_t length = std::strlen(signature);
  const char* line = g_known;
  const char* end = g_known + g_known_size;
  while (line < end) {
    const void* newline = std::memchr(line, '\n', static_cast<size_t>(end - line));
    const char* stop = newline ? static_cast<const char*>(newline) : end;
    if (static_cast<size_t>(stop - line) == length && std::memcmp(line, signature, length) == 0) return true;
    line = stop + 1;
  }
  return false;
}

}  // namespace

const char* LoadKnown(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "cannot open it";
  struct stat status;
  const bool fine = fstat(fd, &status) == 0;
  const char* error = fine ? nullptr : "cannot read it";
  if (fine && status.st_size > 0) {
    void* mapped = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED) {
      error = "cannot map it";
    } else {
      g_known = static_cast<const char*>(mapped);
      g_known_size = static_cast<size_t>(status.st_size);
    }
  }
  close(fd);
  return error;
}

bool IsKnown(const char* signature) {
  if (!Contains(signature)) return false;
  if (g_lines < kMaxLines) {
    ++g_lines;
    dprintf(STDERR_FILENO, "==refquake== KNOWN: input %llu: %s\n", static_cast<unsigned long long>(Recorder().inputs),
            signature);
  }
  return true;
}

}  // namespace refquake
