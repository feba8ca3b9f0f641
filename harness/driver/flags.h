// The fuzz binary's own flags: one table, `--name=value`; libFuzzer's flags have one dash.
//
//   Flags flags;
//   if (auto error = ParseFlags(argc, argv, flags)) ...     // "unknown flag --modul; see --help"
//
// Contract: what a flag takes stands in the table, and nothing else is taken. Flags with one dash and positional
// arguments are left to libFuzzer, except that -artifact_prefix is also read as the default of --artefacts.
#ifndef REFQUAKE_DRIVER_FLAGS_H_
#define REFQUAKE_DRIVER_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

namespace refquake {

struct Flags {
  std::string module;
  std::vector<std::string> path;
  std::string home;
  std::string profile;
  std::string artefacts = "./";  // a prefix, as libFuzzer's: "dir/" or "dir/name-"
  std::string state;
  std::string known;
  std::string replay;
  std::string repeat = "1";
  std::string encode;
  std::string show;
  std::string canary;
  std::string self_proof;  // empty: the default of the binary
  std::string gil = "default";
  std::string deadline = "30";
  std::string feedback;
  std::string judge = "1";
  std::string mutators;
  std::string schedule;  // empty: the default of the binary
  std::string list_ops = "0";
  std::string list_types = "0";
  std::string op_stats;
  std::vector<std::string> deny;
  std::vector<std::string> value;
  std::vector<std::string> op;
  std::string help = "0";
};

// Returns an error text, or nothing on success.
std::optional<std::string> ParseFlags(int argc, char** argv, Flags& flags);

std::string FlagsHelp();

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_FLAGS_H_
