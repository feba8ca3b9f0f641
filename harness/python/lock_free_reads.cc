#include "python/lock_free_reads.h"

#include <algorithm>
#include <array>

#include "python/memory_state.h"

namespace refquake {
namespace {

// They compare what they got with where it came from, or a sequence number, and start again.
constexpr std::array<std::string_view, 4> kTrying = {"_Py_TryIncrefCompare", "_Py_TryXGet", "_PyType_Lookup",
                                                     "compare_unicode_unicode_threadsafe"};
// What those call. Others call them too, on what must be alive: PyUnstable_TryIncRef, a weak reference.
constexpr std::array<std::string_view, 6> kHelping = {
    "_Py_IsOwnedByCurrentThread", "_Py_IsImmortal", "_PyObject_HasDeferredRefcount",
    "_Py_atomic_load_",           "_Py_TryIncref",  "_Py_TryIncRefShared"};

template <size_t N>
bool StartsWithAny(std::string_view name, const std::array<std::string_view, N>& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

Reader ClassifyReader(std::string_view functions) {
  while (!functions.empty()) {
    const std::string_view name = functions.substr(0, functions.find('\0'));
    functions.remove_prefix(std::min(name.size() + 1, functions.size()));
    if (StartsWithAny(name, kTrying)) return Reader::kTries;
    if (!StartsWithAny(name, kHelping)) return Reader::kOther;
  }
  return Reader::kHelps;
}

}  // namespace refquake

#if defined(REFQUAKE_ASAN)

#include <sanitizer/common_interface_defs.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "python/stack.h"
#include "sched/token.h"

namespace refquake {
namespace {

constexpr size_t kPlaces = 256;
constexpr int kFrames = 3;  // of this file's function, of the one that loads, of its caller

std::array<std::atomic<uintptr_t>, kPlaces> g_allowed;  // keys of places that are known to be allowed

Reader ReaderAt(uintptr_t place) {
  // A return address points behind the call.
  std::array<char, 1024> text{};
  __sanitizer_symbolize_pc(reinterpret_cast<void*>(place - 1), "%f", text.data(), text.size() - 2);
  size_t length = 0;  // names with a zero behind each; an empty one ends them
  while (text[length] != 0) length += std::strlen(text.data() + length) + 1;
  return ClassifyReader({text.data(), length});
}

// `place`: where the load returns to; `caller`: where the function returns to that it is in.
bool MayRead(uintptr_t place, uintptr_t caller) {
  const sched::Aside aside;
  const uintptr_t key = place ^ caller << 16;
  std::atomic<uintptr_t>& known = g_allowed[(place >> 2) % kPlaces];
  if (known.load(std::memory_order_relaxed) == key) return true;
  Reader reader = ReaderAt(place);
  if (reader == Reader::kHelps) reader = ReaderAt(caller);
  if (reader == Reader::kTries) known.store(key, std::memory_order_relaxed);
  return reader == Reader::kTries;
}

}  // namespace
}  // namespace refquake

// The tail call leaves no frame of ours in the report.
#define REFQUAKE_WRAP(name)                                                                  \
  extern "C" void __real_##name(uintptr_t address);                                          \
  extern "C" __attribute__((no_sanitize("address"))) void __wrap_##name(uintptr_t address) { \
    uintptr_t frames[refquake::kFrames] = {};                                                \
    refquake::CaptureStack(frames, refquake::kFrames);                                       \
    const auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0));             \
    if (refquake::MayRead(place, frames[refquake::kFrames - 1])) return;                     \
    [[clang::musttail]] return __real_##name(address);                                       \
  }

REFQUAKE_WRAP(__asan_report_load1_noabort)
REFQUAKE_WRAP(__asan_report_load4_noabort)
REFQUAKE_WRAP(__asan_report_load8_noabort)

#endif
