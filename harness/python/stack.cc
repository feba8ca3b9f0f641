#include "python/stack.h"

#include <pthread.h>

#include <cstdio>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define REFQUAKE_SYMBOLIZES 1
#endif

namespace refquake {
namespace {

struct Bounds {
  uintptr_t low = 0;
  uintptr_t high = 0;
};

Bounds StackBounds() {
  pthread_attr_t attributes;
  void* start = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  const auto low = reinterpret_cast<uintptr_t>(start);
  return {low, low + size};
}

}  // namespace

__attribute__((noinline, no_sanitize("address", "thread"))) int CaptureStack(uintptr_t* frames, int most) {
  static thread_local const Bounds bounds = StackBounds();
  auto* frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
  int count = 0;
  while (count < most) {
    const auto address = reinterpret_cast<uintptr_t>(frame);
    if (address < bounds.low || address + 2 * sizeof(uintptr_t) > bounds.high) break;
    frames[count++] = frame[1];
    auto* caller = reinterpret_cast<uintptr_t*>(frame[0]);
    if (caller <= frame) break;
    frame = caller;
  }
  return count;
}

std::string DescribeStack(std::span<const uintptr_t> frames) {
  std::string text;
  char line[1024];
  for (size_t i = 0; i < frames.size(); ++i) {
#ifdef REFQUAKE_SYMBOLIZES
    char where[900] = "";
    __sanitizer_symbolize_pc(reinterpret_cast<void*>(frames[i] - 1), "in %f %s:%l:%c", where, sizeof(where));
#else
    const char* where = "";
#endif
    std::snprintf(line, sizeof(line), "    #%zu 0x%zx %s\n", i, static_cast<size_t>(frames[i]), where);
    text += line;
  }
  return text;
}

}  // namespace refquake
