#include "driver/flags.h"

#include <string_view>

namespace refquake {
namespace {

struct FlagSpec {
  std::string_view name;
  std::string Flags::* text;  // null for flags that may be given more than once
  std::vector<std::string> Flags::* list;
  std::string_view help;
};

constexpr FlagSpec kFlags[] = {
    {"module", &Flags::module, nullptr, "NAME: the module under test"},
    {"path", nullptr, &Flags::path, "DIR: a folder put first on sys.path; may be given more than once"},
    {"home", &Flags::home, nullptr, "PREFIX: the interpreter's prefix"},
    {"profile", &Flags::profile, nullptr, "NAME: use this profile in place of the fuzz target's own"},
    {"artefacts", &Flags::artefacts, nullptr, "PREFIX: where findings go (default: -artifact_prefix)"},
    {"state", &Flags::state, nullptr, "FILE: keep the current input and live counters there"},
    {"known", &Flags::known, nullptr, "FILE: go on past the findings whose signatures it lists, one a line"},
    {"replay", &Flags::replay, nullptr, "FILE: run one program (text or bytes) and exit"},
    {"repeat", &Flags::repeat, nullptr, "N: how often --replay runs it"},
    {"encode", &Flags::encode, nullptr, "IN,OUT: write a text program as bytes and exit"},
    {"show", &Flags::show, nullptr, "FILE: print a program as text and exit"},
    {"canary", &Flags::canary, nullptr,
     "race|use-after-free|finding|fatal: run a planted bug of the harness; it must be reported"},
    {"self-proof", &Flags::self_proof, nullptr, "0|1: prove at start that bugs are reported (default 1; 0 in a bundled binary)"},
    {"gil", &Flags::gil, nullptr, "default|off: off keeps it off even if the module asks for it"},
    {"feedback", &Flags::feedback, nullptr, "0|1: tell libFuzzer what happened to objects (default 1)"},
    {"judge", &Flags::judge, nullptr, "0|1: let the oracles judge (default 1; 0 leaves only the sanitizers, for comparing)"},
    {"mutators", &Flags::mutators, nullptr, "NAME,NAME: use only these mutators (for measuring what each earns)"},
    {"list-ops", &Flags::list_ops, nullptr, "print what was discovered and exit"},
    {"list-types", &Flags::list_types, nullptr, "print the types that were discovered and exit"},
    {"op-stats", &Flags::op_stats, nullptr, "FILE: how often each op succeeded, raised and was skipped"},
    {"deny", nullptr, &Flags::deny, "NAME: leave out FUNCTION, TYPE or TYPE.METHOD; may be given more than once"},
    {"value", nullptr, &Flags::value, "EXPRESSION: one more argument value; may be given more than once"},
    {"op", nullptr, &Flags::op, "NAME=EXPRESSION: one more op, a callable made of the module's names; likewise"},
    {"help", &Flags::help, nullptr, "print this and exit"},
};

}  // namespace

std::optional<std::string> ParseFlags(int argc, char** argv, Flags& flags) {
  constexpr std::string_view kPrefix = "-artifact_prefix=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument.starts_with(kPrefix)) flags.artefacts = argument.substr(kPrefix.size());
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (!argument.starts_with("--")) continue;
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(2, equals == std::string_view::npos ? equals : equals - 2);
    const std::string value(equals == std::string_view::npos ? "1" : argument.substr(equals + 1));
    const FlagSpec* found = nullptr;
    for (const FlagSpec& spec : kFlags) {
      if (spec.name == name) found = &spec;
    }
    if (!found) return "unknown flag --" + std::string(name) + "; --help lists them";
    if (value.empty()) return "--" + std::string(name) + " needs a value; --help lists the flags";
    if (found->text) {
      flags.*(found->text) = value;
    } else {
      (flags.*(found->list)).push_back(value);
    }
  }
  return std::nullopt;
}

std::string FlagsHelp() {
  std::string help = "refquake's flags (libFuzzer's own: -help=1)\n";
  for (const FlagSpec& spec : kFlags) {
    std::string line = "  --" + std::string(spec.name);
    line.append(line.size() < 18 ? 18 - line.size() : 1, ' ').append(spec.help).append("\n");
    help += line;
  }
  return help;
}

}  // namespace refquake
