#include "driver/flags.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "driver/flight_recorder.h"

namespace refquake {
namespace {

struct FlagSpec {
  std::string_view name;
  std::string Flags::* text;  // null for flags that may be given more than once
  std::vector<std::string> Flags::* list;
  // What may stand behind `=`: kSwitch, kCount, words with '|' between them; else free text, of which a '=' is asked
  // for where one stands here.
  std::string_view takes;
  std::string_view help;
};

constexpr std::string_view kSwitch = "0|1";  // the flag alone means 1
constexpr std::string_view kCount = "N";     // from 1 on
constexpr size_t kMaxDigits = 6;             // of a count

constexpr FlagSpec kFlags[] = {
    {"module", &Flags::module, nullptr, "NAME", "the module under test"},
    {"path", nullptr, &Flags::path, "DIR", "a folder put first on sys.path; may be given more than once"},
    {"home", &Flags::home, nullptr, "PREFIX", "the interpreter's prefix"},
    {"profile", &Flags::profile, nullptr, "NAME", "use this profile in place of the fuzz target's own"},
    {"artefacts", &Flags::artefacts, nullptr, "PREFIX", "where findings go (default: -artifact_prefix)"},
    {"state", &Flags::state, nullptr, "FILE", "keep the current input and live counters there"},
    {"known", &Flags::known, nullptr, "FILE", "go on past the findings whose signatures it lists, one a line"},
    {"replay", &Flags::replay, nullptr, "FILE", "run one program (text or bytes) and exit"},
    {"repeat", &Flags::repeat, nullptr, kCount, "how often --replay runs it (default 1)"},
    {"encode", &Flags::encode, nullptr, "IN,OUT", "write a text program as bytes and exit"},
    {"show", &Flags::show, nullptr, "FILE", "print a program as text and exit"},
    {"canary", &Flags::canary, nullptr, "race|use-after-free|finding|fatal",
     "run a planted bug of the harness; it must be reported"},
    {"self-proof", &Flags::self_proof, nullptr, kSwitch,
     "prove at start that bugs are reported (default 1; 0 in a bundled binary)"},
    {"gil", &Flags::gil, nullptr, "default|off", "off keeps it off even if the module asks for it"},
    {"deadline", &Flags::deadline, nullptr, kCount,
     "seconds until a program or a trial call is taken to hang, three times as long for an import (default 30)"},
    {"feedback", &Flags::feedback, nullptr, "NAME,NAME",
     "what libFuzzer is told beside edges: none, or of outcomes, collisions, shapes, counts (default none)"},
    {"judge", &Flags::judge, nullptr, kSwitch,
     "let the oracles judge (default 1; 0 leaves only the sanitizers, for comparing)"},
    {"mutators", &Flags::mutators, nullptr, "NAME,NAME", "use only these mutators (for measuring what each earns)"},
    {"schedule", &Flags::schedule, nullptr, "mixed|free|stepped",
     "as each program has it, or all programs one way (default mixed; stepped in a bundled binary)"},
    {"list-ops", &Flags::list_ops, nullptr, kSwitch, "print what was discovered and exit"},
    {"list-types", &Flags::list_types, nullptr, kSwitch, "print the types that were discovered and exit"},
    {"op-stats", &Flags::op_stats, nullptr, "FILE", "how often each op succeeded, raised and was skipped"},
    {"deny", nullptr, &Flags::deny, "NAME", "leave out FUNCTION, TYPE or TYPE.METHOD; may be given more than once"},
    {"value", nullptr, &Flags::value, "EXPRESSION", "one more argument value; may be given more than once"},
    {"op", nullptr, &Flags::op, "NAME=EXPRESSION", "one more op, a callable made of the module's names; likewise"},
    {"help", &Flags::help, nullptr, kSwitch, "print this and exit"},
};

bool IsCount(std::string_view value) {
  return value.size() <= kMaxDigits && value.find_first_not_of("0123456789") == value.npos && value[0] != '0';
}

bool IsOneOf(std::string_view value, std::string_view words) {
  for (;;) {
    const size_t bar = words.find('|');
    if (words.substr(0, bar) == value) return true;
    if (bar == words.npos) return false;
    words.remove_prefix(bar + 1);
  }
}

// Returns what the flag takes instead, or the empty string.
std::string Refuse(const FlagSpec& spec, std::string_view value) {
  const std::string takes(spec.takes);
  if (spec.takes == kCount) return IsCount(value) ? "" : "a number from 1 to " + std::string(kMaxDigits, '9');
  if (spec.takes.find('|') != takes.npos) return IsOneOf(value, spec.takes) ? "" : takes;
  const bool pair = spec.takes.find('=') != takes.npos;
  const size_t equals = value.find('=');
  return pair && (equals == value.npos || equals == 0 || equals + 1 == value.size()) ? takes : "";
}

const FlagSpec* Find(std::string_view name) {
  for (const FlagSpec& spec : kFlags) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

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
    const FlagSpec* found = Find(name);
    if (!found) return "unknown flag --" + std::string(name) + "; --help lists them";
    const bool bare = equals == std::string_view::npos && found->takes != kSwitch;
    if (bare || value.empty()) return "--" + std::string(name) + " needs a value; --help lists the flags";
    const std::string takes = Refuse(*found, value);
    if (!takes.empty()) return std::string(argument) + ": --" + std::string(name) + " takes " + takes;
    if (found->text) {
      flags.*(found->text) = value;
    } else {
      (flags.*(found->list)).push_back(value);
    }
  }
  // As it is now: a module may change the working folder.
  if (!flags.artefacts.starts_with('/')) {
    std::error_code failed;
    flags.artefacts = std::filesystem::current_path(failed).string() + "/" + flags.artefacts;
  }
  if (flags.artefacts.size() > kMaxPrefix) {
    return "--artefacts: a prefix of " + std::to_string(flags.artefacts.size()) + " bytes; give one of at most " +
           std::to_string(kMaxPrefix);
  }
  return std::nullopt;
}

std::string FlagsHelp() {
  std::string help = "refquake's flags (libFuzzer's own: -help=1)\n";
  for (const FlagSpec& spec : kFlags) {
    std::string line = "  --" + std::string(spec.name);
    line.append(line.size() < 18 ? 18 - line.size() : 1, ' ');
    help += line.append(spec.takes).append(": ").append(spec.help).append("\n");
  }
  return help;
}

}  // namespace refquake
