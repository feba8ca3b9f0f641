// The session: interpreter, target and executor of this process, made once from the flags.
//
//   std::unique_ptr<Session> session = Session::Start(flags, profile, error);     // null: could not run
//   session->Run(program);
//
// Contract: the only process-wide state of the harness, beside the flight recorder. Used from the
// thread that started it. A finding ends the process: report and artefact are written here.
#ifndef REFQUAKE_DRIVER_SESSION_H_
#define REFQUAKE_DRIVER_SESSION_H_

#include <memory>
#include <string>

#include "core/finding.h"
#include "core/profile.h"
#include "core/program.h"
#include "driver/exit_codes.h"
#include "driver/feedback.h"
#include "driver/flags.h"
#include "driver/op_stats.h"
#include "python/executor.h"
#include "python/target.h"

namespace refquake {

struct StartError {
  int code = kExitCouldNotRun;
  std::string message;
};

class Session {
 public:
  // Null on failure; `error` says why, and with which code the process has to end.
  static std::unique_ptr<Session> Start(const Flags& flags, const Profile& profile, StartError& error);

  // Reports what loading the target alone has shown; does not return then (Executor::JudgeLoad).
  void JudgeLoad() { executor_->JudgeLoad(); }

  // Runs one program; does not return if there is a finding. Its bytes must be in the flight recorder.
  RunResult Run(const Program& program);

  const Target& target() const { return target_; }
  const OpTable& table() const { return target_.table; }
  const Profile& profile() const { return profile_; }

 private:
  Session(const Flags& flags, const Profile& profile) : flags_(flags), profile_(profile) {}

  // Both return an error text, or the empty string. LoadTarget runs on the baseline thread.
  std::string Load();
  std::string LoadTarget();
  static void OnFinding(const Finding& finding);
  static void OnExit(int status);

  Flags flags_;
  Profile profile_;
  Target target_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Feedback> feedback_;
  std::unique_ptr<OpStats> op_stats_;  // null unless asked for
  const Program* running_ = nullptr;
  bool loading_ = true;
  bool own_threads_noted_ = false;
  bool wrong_use_ = false;  // a flag is why it cannot start
};

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_SESSION_H_
