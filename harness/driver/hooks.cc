// libFuzzer's hooks. LLVMFuzzerInitialize does everything that is done once; TestOneInput decodes,
// records and runs; a finding ends the process.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/profile.h"
#include "driver/bundle.h"
#include "driver/exit_codes.h"
#include "driver/feedback.h"
#include "driver/files.h"
#include "driver/fixed_layout.h"
#include "driver/flags.h"
#include "driver/flight_recorder.h"
#include "driver/fuzz_target.h"
#include "driver/known.h"
#include "driver/mutator.h"
#include "driver/one_shot.h"
#include "driver/self_proof.h"
#include "driver/session.h"
#include "python/leave.h"

namespace refquake {
namespace {

Flags g_flags;
Session* g_session = nullptr;
MutatorMask g_mutators = kAllMutators;

[[noreturn]] void Leave(int code) {
  std::fflush(stdout);
  std::fflush(stderr);
  LeaveProcess(code);
}

[[noreturn]] void Fail(int code, const std::string& message) {
  std::fprintf(stderr, "refquake: %s\n", message.c_str());
  Leave(code);
}

const Profile& ChosenProfile() {
  // A canary's program has two lanes, whatever the fuzz target.
  const std::string name = !g_flags.canary.empty()    ? "threads"
                           : !g_flags.profile.empty() ? g_flags.profile
                                                      : refquake_fuzz_target_profile;
  const Profile* profile = FindProfile(name);
  if (profile) return *profile;
  std::string known;
  for (const Profile& p : Profiles()) known += " " + std::string(p.name);
  Fail(kExitWrongUse, "unknown profile '" + name + "'; known:" + known);
}

// Those that flags name, before anything takes time.
void OpenFiles() {
  const auto check = [](const char* flag, const std::string& path, const char* error) {
    if (error) Fail(kExitWrongUse, std::string(flag) + "=" + path + ": " + error);
  };
  if (!g_flags.state.empty()) check("--state", g_flags.state, OpenFlightRecorder(g_flags.state.c_str()));
  if (!g_flags.known.empty()) check("--known", g_flags.known, LoadKnown(g_flags.known.c_str()));
  if (g_flags.op_stats.empty()) return;
  if (auto error = WriteFile(g_flags.op_stats, "")) Fail(kExitWrongUse, "--op-stats=" + *error);
}

void Initialize(int argc, char** argv) {
  if (auto error = ParseFlags(argc, argv, g_flags)) Fail(kExitWrongUse, *error);
  if (g_flags.help != "0") {
    std::fputs(FlagsHelp().c_str(), stdout);
    Leave(kExitNothingFound);
  }
  ApplyBundle(g_flags);
  if (!IsBundled()) FixLayout(argv);  // a service's engine starts the binary its own way
  if (g_flags.home.empty()) g_flags.home = REFQUAKE_DEFAULT_HOME;
  const Profile& profile = ChosenProfile();
  const std::optional<MutatorMask> mutators = ParseMutators(g_flags.mutators);
  if (!mutators) Fail(kExitWrongUse, "--mutators=" + g_flags.mutators + ": unknown name");
  g_mutators = *mutators;
  if (!ParseFeedback(g_flags.feedback)) {
    Fail(kExitWrongUse, "--feedback=" + g_flags.feedback + ": takes none, or of outcomes, collisions, shapes, counts");
  }
  if (g_flags.module.empty() && g_flags.canary.empty()) {
    Fail(kExitWrongUse, "no module named; give --module=NAME (and --path=DIR)");
  }
  OpenFiles();
  if (g_flags.self_proof != "0" && !IsOneShot(g_flags)) {
    if (auto error = ProveSelf(argv[0], g_flags)) Fail(kExitCouldNotRun, *error);
  }
  StartError error;
  g_session = Session::Start(g_flags, profile, error).release();  // lives as long as the process
  if (!g_session) Fail(error.code, error.message);
  if (IsOneShot(g_flags)) Leave(RunOneShot(g_flags, *g_session));
  g_session->JudgeLoad();
}

// libFuzzer's flags that a fuzz binary is better off with; what the user gives comes later and wins.
// - detect_leaks: an input whose objects live on is run again, and the survival oracle judges leaks anyway.
// - max_len: what the profile's longest program takes.
// - len_control: programs need not start short; the mutators make them of all lengths.
void AddDefaults(int* argc, char*** argv) {
  static std::vector<std::string> defaults = {
      "-detect_leaks=0", "-len_control=0",
      "-max_len=" +
          std::to_string(kHeaderBytes + kInstructionBytes * static_cast<size_t>(g_session->profile().max_ops))};
  static std::vector<char*> arguments;
  arguments.push_back((*argv)[0]);
  for (std::string& flag : defaults) arguments.push_back(flag.data());
  arguments.insert(arguments.end(), *argv + 1, *argv + *argc);
  *argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  *argv = arguments.data();
}

// Gives the program the schedule that --schedule wants; true if that changed it. A stepped program that had none
// gets a random one, with the seed its bytes carry.
bool Reschedule(Program& program) {
  const bool free = program.schedule.policy == Policy::kFree;
  if (g_flags.schedule == "free" && !free) program.schedule = {};
  if (g_flags.schedule == "stepped" && free) program.schedule.policy = Policy::kRandom;
  return free != (program.schedule.policy == Policy::kFree);
}

void RunBytes(const uint8_t* data, size_t size) {
  static Program program;  // its storage is reused
  static bool first = true;
  if (first) InstallDeathCallback(g_flags.artefacts.c_str());  // libFuzzer has set its own by now
  first = false;
  RecordInput(data, size);
  DecodeBytes({data, size}, g_session->table(), {.max_lanes = g_session->profile().max_lanes}, program);
  if (Reschedule(program)) {
    const std::vector<uint8_t> bytes = EncodeBytes(program);  // what runs is what an artefact must hold
    AmendInput(bytes.data(), bytes.size());
  }
  g_session->Run(program);
}

}  // namespace
}  // namespace refquake

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  refquake::Initialize(*argc, *argv);
  refquake::AddDefaults(argc, argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  refquake::RunBytes(data, size);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  using refquake::g_session;
  return refquake::MutateBytes(data, size, max_size, seed, g_session->table(), g_session->profile(),
                               refquake::g_mutators);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_size, unsigned seed) {
  using refquake::g_session;
  return refquake::CrossOverBytes({a, a_size}, {b, b_size}, {out, max_size}, seed, g_session->table(),
                                  g_session->profile());
}
