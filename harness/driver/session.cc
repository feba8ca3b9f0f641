#include "driver/session.h"

#include <unistd.h>

#include <cstdio>

#include "core/bytes.h"
#include "core/text.h"
#include "driver/canary.h"
#include "driver/exit_codes.h"
#include "driver/files.h"
#include "driver/flight_recorder.h"
#include "driver/instrumentation.h"
#include "python/discover.h"
#include "python/interpreter.h"
#include "python/report.h"

namespace refquake {
namespace {

Session* g_session = nullptr;

}  // namespace

std::unique_ptr<Session> Session::Start(const Flags& flags, const Profile& profile, std::string& error) {
  std::unique_ptr<Session> session(new Session(flags, profile));
  g_session = session.get();
  error = session->Load();
  return error.empty() ? std::move(session) : nullptr;
}

std::string Session::Load() {
  const bool canary = !flags_.canary.empty();
  const std::string module = canary ? kCanaryModule : flags_.module;
  if (module.empty()) return "no module named; give --module=NAME (and --path=DIR)";
  if (canary) RegisterCanary();
  InterpreterOptions options{.home = flags_.home, .path = flags_.path, .force_gil_off = flags_.gil == "off"};
  if (auto error = StartInterpreter(options)) return *error;
  if (auto error = Discover(module, target_)) return *error;
  if (!GilIsOff()) {
    return "importing " + module + " turned the GIL on: it does not declare Py_MOD_GIL_NOT_USED; --gil=off keeps it off";
  }
  if (canary) {
    ArmCanary();
  } else if (auto error = CheckInstrumented(target_.module.get())) {
    return *error;
  }
  target_.WatchTypes();
  SetReportSink(OnFinding);
  executor_ = std::make_unique<Executor>(target_, ExecutorOptions{.max_lanes = profile_.max_lanes});
  if (profile_.max_lanes > 1) executor_->StartWorkers();
  SettleInterpreter();
  return "";
}

RunResult Session::Run(const Program& program) {
  running_ = &program;
  const RunResult result = executor_->Run(program);
  FlightRecord& record = Recorder();
  record.ok += result.ok;
  record.errors += result.errors;
  record.skipped += result.skipped;
  running_ = nullptr;
  return result;
}

void Session::OnFinding(const Finding& finding) {
  const Session& session = *g_session;
  std::string text;
  if (session.running_) text = PrintText(*session.running_, session.table(), session.profile_.name);
  const char* artefact = WriteArtefact(session.flags_.artefacts.c_str());
  if (artefact && !text.empty()) WriteFile(std::string(artefact) + ".prog", text);
  const std::string schedule = session.running_ ? PrintSchedule(session.running_->schedule) : "";
  const std::string report = PrintFinding(finding, schedule, text, artefact ? artefact : "");
  std::fwrite(report.data(), 1, report.size(), stderr);
  std::fflush(stderr);
  _exit(kExitFinding);
}

}  // namespace refquake
