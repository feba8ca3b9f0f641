#include "driver/session.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/bytes.h"
#include "core/text.h"
#include "driver/bundle.h"
#include "driver/canary.h"
#include "driver/exit_codes.h"
#include "driver/files.h"
#include "driver/flight_recorder.h"
#include "driver/instrumentation.h"
#include "driver/known.h"
#include "driver/stuck_sink.h"
#include "python/allocation_faults.h"
#include "python/baseline.h"
#include "python/discover.h"
#include "python/interpreter.h"
#include "python/leave.h"
#include "python/report.h"
#include "python/trial_guard.h"
#include "sched/module_threads.h"
#include "sched/watchdog.h"

namespace refquake {
namespace {

// Nothing is executed, so nothing is judged: a module whose type leaks can still be shown.
bool OnlyPrints(const Flags& flags) {
  return !flags.show.empty() || !flags.encode.empty() || flags.list_ops != "0" || flags.list_types != "0";
}

Session* g_session = nullptr;

}  // namespace

std::unique_ptr<Session> Session::Start(const Flags& flags, const Profile& profile, StartError& error) {
  std::unique_ptr<Session> session(new Session(flags, profile));
  g_session = session.get();
  error.message = session->Load();
  if (error.message.empty()) return session;
  if (session->wrong_use_) error.code = kExitWrongUse;
  (void)session.release();  // it holds Python objects, and no thread state may be left to drop them
  return nullptr;
}

std::string Session::Load() {
  const int deadline = std::atoi(flags_.deadline.c_str());
  TrialGuard guard(deadline, RecordTrial);
  WatchExits(OnExit);
  const std::string error = OnBaselineThread([this] { return LoadTarget(); });
  if (!error.empty()) return error;
  if (!flags_.known.empty()) {
    SetKnownFilter([](const Finding& finding) { return IsKnown(finding.Summary().c_str()); });
  }
  SetReportSink(OnFinding);
  feedback_ = std::make_unique<Feedback>(target_, *ParseFeedback(flags_.feedback));
  ExecutorOptions options{.max_lanes = profile_.max_lanes,
                          .judge = flags_.judge != "0" && !OnlyPrints(flags_),
                          .fights = profile_.fights,
                          .fail_allocations = profile_.fail_allocations};
  if (feedback_->wants_phases()) {
    options.after_phase = [this](ObjectGraph& graph, std::span<PyObject* const> living) {
      feedback_->CountPhase(graph, living);
    };
  }
  sched::NoteThreadsBeforeLoading();
  executor_ = std::make_unique<Executor>(target_, options);
  sched::NoteThreadsAfterLoading();
  if (profile_.max_lanes > 1) executor_->StartWorkers();
  if (!flags_.op_stats.empty()) op_stats_ = std::make_unique<OpStats>(flags_.op_stats, target_.table);
  InstallStuckSink(target_.table.target(), deadline);
  loading_ = false;
  Recorder().planted = 0;  // what trial calls reached is not what programs reach
  return "";
}

std::string Session::LoadTarget() {
  const bool canary = !flags_.canary.empty();
  const std::string module = canary ? kCanaryModule : flags_.module;
  if (canary) RegisterCanary();
  InterpreterOptions options{.home = flags_.home, .path = flags_.path, .force_gil_off = flags_.gil == "off"};
  if (auto error = StartInterpreter(options)) return *error;
  InstallDeathCallback(flags_.artefacts.c_str());
  const DiscoverOptions discover{
      .deny = flags_.deny, .values = flags_.value, .ops = flags_.op, .fights = profile_.fights};
  sched::NoteThreadsBeforeLoading();
  const auto failure = Discover(module, discover, target_);
  sched::NoteThreadsAfterLoading();
  if (failure) {
    wrong_use_ = failure->wrong_use;
    return failure->message;
  }
  if (!GilIsOff()) {
    return "importing " + module +
           " turned the GIL on: it does not declare Py_MOD_GIL_NOT_USED; --gil=off keeps it off";
  }
  if (!target_.has_own_ops && !OnlyPrints(flags_)) {
    return module +
           " has nothing to fuzz: no type and no function of it was found that could be called; give a "
           "submodule's name, or --op=NAME=EXPRESSION";
  }
  if (canary) {
    ArmCanary();
  } else if (auto error = CheckInstrumented(target_.module.get())) {
    return *error;
  }
  if (flags_.judge != "0") target_.WatchTypes();
  if (profile_.fail_allocations) InstallAllocationFaults(target_);
  SettleInterpreter();
  return "";
}

RunResult Session::Run(const Program& program) {
  running_ = &program;
  if (!std::exchange(own_threads_noted_, true)) sched::NoteOwnThreads();
  sched::ArmWatchdog();
  const RunResult result = executor_->Run(program);
  sched::DisarmWatchdog();
  FlightRecord& record = Recorder();
  record.ok += result.ok;
  record.errors += result.errors;
  record.skipped += result.skipped;
  feedback_->CountRun(executor_->logs());
  if (op_stats_) op_stats_->Count(executor_->logs());
  running_ = nullptr;
  return result;
}

// The process is being ended, and not by the harness. By exit() libFuzzer ends a campaign too.
void Session::OnExit(int status) {
  const Session& session = *g_session;
  const std::string how =
      "ended the process" + (status < 0 ? " by exit()" : " with exit status " + std::to_string(status));
  if (session.loading_) {
    const std::string what = *TrialText() ? TrialText() : "loading it";
    if (IsTrial()) std::fprintf(stderr, "==refquake== TRIAL: %s\n", what.c_str());
    std::fprintf(stderr, "refquake: could not run %s: %s %s%s\n", session.flags_.module.c_str(), what.c_str(),
                 how.c_str(), IsTrial() ? "; leave it out with --deny=NAME" : "");
    LeaveProcess(kExitCouldNotRun);
  }
  if (status < 0 && !session.running_) return;
  Report({.kind = "exit",
          .type = session.table().target(),
          .what = "the module " + how,
          .rule = "an extension must raise an exception, SystemExit at most: what ends the process skips all that the "
                  "program wants done at its end"});
}

void Session::OnFinding(const Finding& finding) {
  const Session& session = *g_session;
  if (PassOver(finding)) LeaveProcess(kExitKnown);  // known, but its evidence took the program's objects apart
  Evidence evidence;
  if (session.running_) {
    Program program = *session.running_;
    program.schedule = session.executor_->stepping().Recorded();
    const int phase = session.executor_->phase();
    evidence.phase = phase < 0 ? "end" : std::to_string(phase + 1);
    evidence.schedule = PrintSchedule(program.schedule);
    evidence.program = PrintText(program, session.table(), session.profile_.name);
  }
  // Before the first program there is no input to keep: loading the target is the reproducer.
  const char* artefact = session.running_ ? WriteArtefact(session.flags_.artefacts.c_str()) : nullptr;
  if (session.running_ && !artefact) std::fputs("==refquake== the artefact could not be written\n", stderr);
  if (artefact && !evidence.program.empty()) WriteFile(std::string(artefact) + ".prog", evidence.program);
  if (artefact) evidence.artefact = artefact;
  const std::string report = PrintFinding(finding, evidence);
  std::fwrite(report.data(), 1, report.size(), stderr);
  std::fflush(stderr);
  if (session.running_) WriteSchedule();  // behind the report: it belongs to it
  // A canary is judged by its exit code, in a bundled binary too.
  if (IsBundled() && session.flags_.canary.empty()) AbortWithFinding(artefact);
  LeaveProcess(kExitFinding);
}

}  // namespace refquake
