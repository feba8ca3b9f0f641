#include "driver/one_shot.h"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "core/bytes.h"
#include "core/text.h"
#include "driver/canary.h"
#include "driver/exit_codes.h"
#include "driver/files.h"
#include "driver/flight_recorder.h"
#include "driver/op_names.h"
#include "python/target_text.h"

namespace refquake {
namespace {

int WrongUse(const std::string& message) {
  std::fprintf(stderr, "refquake: %s\n", message.c_str());
  return kExitWrongUse;
}

// Either form, told apart by its first bytes. Returns an error text, or nothing on success.
std::optional<std::string> ParseProgram(const std::string& content, const std::string& name, const Session& session,
                                        Program& program) {
  if (content.empty()) return name + ": empty, not a program";
  if (!LooksLikeText(content)) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(content.data());
    DecodeBytes({bytes, content.size()}, session.table(), {.max_lanes = session.profile().max_lanes}, program);
    return std::nullopt;
  }
  ParsedText parsed = ParseText(content, session.table());
  if (parsed.error) return parsed.error->ToString(name);
  program = std::move(parsed.program);
  if (program.MaxLanes() > session.profile().max_lanes) {
    return name + ": has a phase of " + std::to_string(program.MaxLanes()) + " lanes; profile " +
           std::string(session.profile().name) + " runs " + std::to_string(session.profile().max_lanes);
  }
  return std::nullopt;
}

std::optional<std::string> LoadProgram(const std::string& path, const Session& session, Program& program) {
  std::string content;
  if (auto error = ReadFile(path, content)) return error;
  return ParseProgram(content, path, session, program);
}

int Replay(const Program& program, const Flags& flags, Session& session) {
  const long repeat = std::strtol(flags.repeat.c_str(), nullptr, 10);
  const std::string text = PrintText(program, session.table(), session.profile().name);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  const std::vector<uint8_t> bytes = EncodeBytes(program);
  InstallDeathCallback(flags.artefacts.c_str());
  if (program.NumOps() == 0) session.JudgeLoad();  // what shows without any op has this reproducer
  RunResult last;
  for (long i = 0; i < repeat; ++i) {
    RecordInput(bytes.data(), bytes.size());
    last = session.Run(program);
  }
  WriteSchedule();
  std::fprintf(stderr, "==refquake== NOTHING FOUND in %ld runs (last: %u ops succeeded, %u raised, %u skipped)\n",
               repeat, last.ok, last.errors, last.skipped);
  return kExitNothingFound;
}

int ListOps(const OpTable& table) {
  for (const OpSpec& spec : table.ops()) {
    std::string owners;
    for (int owner : spec.owners) owners += (owners.empty() ? "" : ",") + table.types()[static_cast<size_t>(owner)];
    std::printf("%s\t%s\t%s\t%d\t%s\n", FormName(spec.form), KindName(spec.kind), spec.name.c_str(), spec.nargs,
                owners.c_str());
  }
  return kExitNothingFound;
}

int Encode(const std::string& in_out, const Session& session) {
  const size_t comma = in_out.rfind(',');
  if (comma == std::string::npos) return WrongUse("--encode takes IN,OUT");
  Program program;
  if (auto error = LoadProgram(in_out.substr(0, comma), session, program)) return WrongUse(*error);
  const std::vector<uint8_t> bytes = EncodeBytes(program);
  if (auto error = WriteFile(in_out.substr(comma + 1), std::string(bytes.begin(), bytes.end())))
    return WrongUse(*error);
  return kExitNothingFound;
}

}  // namespace

bool IsOneShot(const Flags& flags) {
  return !flags.replay.empty() || !flags.encode.empty() || !flags.show.empty() || !flags.canary.empty() ||
         flags.list_ops != "0" || flags.list_types != "0";
}

int RunOneShot(const Flags& flags, Session& session) {
  if (flags.list_ops != "0") return ListOps(session.table());
  if (flags.list_types != "0") {
    std::fputs(DescribeTypes(session.target()).c_str(), stdout);
    return kExitNothingFound;
  }
  if (!flags.encode.empty()) return Encode(flags.encode, session);
  Program program;
  if (!flags.canary.empty()) {
    const char* text = CanaryProgram(flags.canary);
    if (!text) return WrongUse("no canary '" + flags.canary + "'; --help lists them");
    if (auto error = ParseProgram(text, flags.canary, session, program)) return WrongUse(*error);
    return Replay(program, flags, session);
  }
  const std::string& path = flags.show.empty() ? flags.replay : flags.show;
  if (auto error = LoadProgram(path, session, program)) return WrongUse(*error);
  if (flags.show.empty()) return Replay(program, flags, session);
  const std::string text = PrintText(program, session.table(), session.profile().name);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitNothingFound;
}

}  // namespace refquake
