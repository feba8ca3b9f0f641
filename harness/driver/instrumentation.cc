#include "driver/instrumentation.h"

#include <cstdio>

#include "driver/files.h"
#include "python/ref.h"

namespace refquake {
namespace {

// A symbol that every object compiled for this flavour refers to.
#if __has_feature(address_sanitizer)
constexpr const char* kSanitizerSymbol = "__asan_init";
constexpr const char* kSanitizerName = "address sanitizer";
#elif __has_feature(thread_sanitizer)
constexpr const char* kSanitizerSymbol = "__tsan_func_entry";
constexpr const char* kSanitizerName = "thread sanitizer";
#else
constexpr const char* kSanitizerSymbol = nullptr;
constexpr const char* kSanitizerName = "no sanitizer";
#endif
constexpr const char* kCoverageSymbol = "__sanitizer_cov_";

}  // namespace

std::optional<std::string> CheckInstrumented(PyObject* module) {
  Ref file(PyModule_GetFilenameObject(module));
  const char* path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
  if (!path) {
    PyErr_Clear();
    return std::nullopt;  // linked into the interpreter
  }
  const std::string name(path);
  if (!name.ends_with(".so")) return std::nullopt;  // a package: its extension modules are what counts
  std::string content;
  if (auto error = ReadFile(name, content)) return error;
  if (kSanitizerSymbol && content.find(kSanitizerSymbol) == std::string::npos) {
    return name + ": not built with " + kSanitizerName + ", its bugs would not be seen; rebuild it for this flavour";
  }
  if (content.find(kCoverageSymbol) == std::string::npos) {
    std::fprintf(stderr, "==refquake== WARNING: %s is built without coverage: the fuzzer is not guided\n", path);
  }
  return std::nullopt;
}

}  // namespace refquake
