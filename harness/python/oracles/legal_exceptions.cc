#include "python/oracles/legal_exceptions.h"

namespace refquake {
namespace {

struct LegalException {
  std::string_view kind;
  std::string_view type;
  std::string_view reason;
};

constexpr LegalException kLegal[] = {
    {"never-tracked", "builtins.*", "tuples and dicts are tracked when they first hold something collectable"},
    {"no-free", "builtins.*", "the interpreter's free lists lie in its thread states"},
    {"finalizer-skipped", "_io.StringIO",
     "inherits the finalizer that closes a file; there is none to close in memory"},
    {"finalizer-skipped", "_io.BytesIO", "inherits the finalizer that closes a file; there is none to close in memory"},
    {"leaked-reference", "_contextvars.Context", "the thread state holds the current one, where no visit reaches it"},
    {"leaked-type", "builtins.*", "the interpreter's own types live as long as it does"},
};

bool Matches(std::string_view pattern, std::string_view type) {
  if (!pattern.ends_with(".*")) return pattern == type;
  return type.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

bool IsLegal(std::string_view kind, std::string_view type) {
  for (const LegalException& legal : kLegal) {
    if (legal.kind == kind && Matches(legal.type, type)) return true;
  }
  return false;
}

}  // namespace refquake
