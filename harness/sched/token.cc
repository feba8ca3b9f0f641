#include "sched/token.h"

#include "sched/futex.h"
#include "sched/let_go.h"
#include "sched/module_base.h"
#include "sched/module_threads.h"
#include "sched/run.h"

namespace refquake::sched {

constinit thread_local int managed_lane = -1;
Run run;

namespace {

constexpr uint32_t kStepsToYield = 1 << 16;

SwitchRecord record[kMaxRecorded];
StuckHandler stuck_handler = nullptr;
StuckReport stuck_report;

// A recursion gets on: down to where it has not been in this op, then back up from there. Both come to an end, where a
// lane that goes round in a circle sees the same depths again.
bool GetsOn(Lane& lane, uintptr_t stack) {
  if (stack < lane.deepest) {
    lane.deepest = lane.back_at = stack;
    return true;
  }
  if (stack <= lane.back_at) return false;
  lane.back_at = stack;
  return true;
}

void Record(const Choice& choice, int to) {
  ++run.switches;
  if (run.switches > kMaxRecorded) return;
  const Lane none{};
  const Lane& from = choice.current < 0 ? none : run.lane[choice.current];
  record[run.switches - 1] = {.step = choice.step,
                              .from = static_cast<int8_t>(choice.current),
                              .to = static_cast<int8_t>(to),
                              .kind = choice.kind,
                              .by_default = to == DefaultLane(choice),
                              .begun = from.begun,
                              .into = from.into,
                              .pc = from.pc};
}

int Choose(Kind kind) {
  Choice choice = {.step = run.steps, .runnable = run.runnable, .current = run.current, .kind = kind};
  int to = run.policy->NextLane(choice);
  if (to < 0 || (run.runnable >> to & 1) == 0) Die("the policy chose a lane that cannot run");
  if (to == run.current) return to;
  MixIntoHash(0x5000000000000000u | static_cast<uint64_t>(to));
  Record(choice, to);
  return to;
}

// A lane that has ended reads nothing of the run after this.
void GiveTokenTo(int to) {
  Lane& lane = run.lane[to];
  run.current = to;
  if (lane.state == LaneState::kNotStarted) {
    lane.state = LaneState::kRunnable;
    run.pool->StartLane(to);
    return;
  }
  Store(&lane.gate, 1);
  FutexWake(&lane.gate, 1);
}

bool AwaitToken(int own) {
  uint32_t* gate = &run.lane[own].gate;
  while (Load(gate) == 0) FutexWait(gate, 0);
  Store(gate, 0);
  if (Load(&run.grip) != kLetGo) return true;
  managed_lane = -1;
  return false;
}

void EnterRun(int lane) {
  if (Load(&run.grip) == kLetGo) return;
  managed_lane = lane;
  Leave();
}

void LeaveRun(int lane) {
  if (!IsManaged() || !Enter()) return;
  managed_lane = -1;
  CountStep(Kind::kExit, 0);
  run.lane[lane].state = LaneState::kDone;
  run.runnable &= ~(1u << lane);
  if (--run.unfinished == 0) return;
  if (run.runnable == 0) LetTimePass();
  GiveTokenTo(Choose(Kind::kExit));
}

void PrepareRun(Pool& pool, int lanes, Policy& policy, uint32_t max_idle, uint32_t first_step) {
  run.pool = &pool;
  run.policy = &policy;
  run.active = true;
  run.lanes = run.unfinished = lanes;
  run.current = -1;
  run.runnable = (1u << lanes) - 1;
  run.steps = first_step;
  run.idle = run.looks = 0;
  run.max_idle = max_idle;
  if (first_step == 0) {
    run.hash = 0xcbf29ce484222325u;
    run.switches = 0;
  }
  run.waits = 0;
  BeginVirtualTime();
  for (int i = 0; i < kMaxLanes; ++i) run.lane[i] = Lane{};
  Store(&run.grip, kInside);
}

}  // namespace

void MixIntoHash(uint64_t value) { run.hash = (run.hash ^ value) * 0x100000001b3u; }

void Stuck(StuckReport::Why why) {
  managed_lane = -1;  // the handler is ordinary code: it must not come back here as a lane
  DescribeRun(&stuck_report);
  stuck_report.why = why;
  CaptureStacks(&stuck_report);
  if (stuck_handler != nullptr) stuck_handler(stuck_report);
  Die(why == StuckReport::Why::kDeadlock ? "deadlock: every lane waits" : "livelock: no lane gets on");
}

// While a thread of the module's lives the lanes may wait for that: how long is the watchdog's business.
void CountIdle() {
  if (++run.idle <= run.max_idle) return;
  run.idle = 0;
  if (ModuleThreadsRun()) return;
  for (int i = 0; i < run.lanes; ++i) {
    // The others only poll: by now they would have given up, if they could.
    if (run.lane[i].state == LaneState::kWaiting) Stuck(StuckReport::Why::kDeadlock);
  }
  Stuck(StuckReport::Why::kLivelock);
}

// Every place where the token may move is a step of its own, numbered and hashed.
void CountStep(Kind kind, uintptr_t pc) {
  Lane& lane = run.lane[run.current];
  ++run.steps;
  ++lane.steps;
  ++lane.into;
  if (kind == Kind::kOp || kind == Kind::kExit) {
    ++lane.begun;
    lane.into = 0;
    lane.deepest = UINTPTR_MAX;
  }
  lane.kind = kind;
  lane.pc = pc;
  uint64_t place = pc == 0 ? 0 : StableAddress(pc);
  MixIntoHash(static_cast<uint64_t>(kind) << 56 ^ static_cast<uint64_t>(run.current) << 48 ^ place);
  const bool gets_on = GetsOn(lane, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  if (gets_on || kind == Kind::kOp || kind == Kind::kExit) {
    run.idle = 0;
  } else if (kind == Kind::kYield) {
    CountIdle();  // not of what reads and writes: a long computation gets on in its own way
  }
}

bool PassToken(Kind kind) {
  int own = run.current;
  int to = Choose(kind);
  if (to == own) return true;
  GiveTokenTo(to);
  return AwaitToken(own);
}

SteppedRun RunStepped(Pool& pool, int lanes, Policy& policy, uint32_t first_step, uint32_t max_idle) {
  if (lanes < 1 || lanes > pool.workers())
    Die("a stepped run needs 1 lane at least and no more than there are workers");
  PrepareRun(pool, lanes, policy, max_idle, first_step);
  policy.NewExecution(lanes);
  int first = Choose(Kind::kStart);
  run.current = first;
  run.lane[first].state = LaneState::kRunnable;
  pool.RunGated(lanes, {.enter = EnterRun, .leave = LeaveRun}, first);
  run.active = false;
  EndVirtualTime();
  NoteLetGo();
  Store(&run.grip, kNoRun);
  return RunSoFar();
}

SteppedRun RunSoFar() {
  uint32_t recorded = run.switches < kMaxRecorded ? run.switches : kMaxRecorded;
  return {.steps = run.steps,
          .hash = run.hash,
          .switches = run.switches,
          .record = record,
          .recorded = static_cast<int>(recorded)};
}

void ForgetRun() {
  run.steps = 0;
  run.hash = 0;
  run.switches = 0;
}

void SetStuckHandler(StuckHandler handler) { stuck_handler = handler; }

void DescribeRun(StuckReport* report) {
  *report = StuckReport{};
  report->stepped = run.active && Load(&run.grip) != kLetGo;
  report->lanes = run.active ? run.lanes : RegisteredLanes();
  if (!report->stepped) return;
  report->steps = run.steps;
  report->current = run.current;
  for (int i = 0; i < run.lanes; ++i) {
    const Lane& lane = run.lane[i];
    report->lane[i].state = lane.state;
    report->lane[i].kind = lane.kind;
    report->lane[i].pc = lane.pc;
    report->lane[i].object = lane.object;
    report->lane[i].steps = lane.steps;
  }
}

void YieldPoint(Kind kind, uintptr_t pc) {
  if (run.lane[managed_lane].keeps && kind != Kind::kYield) return;
  if (!Enter()) return;
  CountStep(kind, pc);
  // A lane that waits for another in a loop of its own, with reads and writes, must let that one run some time.
  const bool long_in_its_op = run.lane[run.current].into % kStepsToYield == 0 && kind != Kind::kOp;
  if (PassToken(long_in_its_op ? Kind::kYield : kind)) Leave();
}

void LoadPoint(const void* address, uintptr_t pc) {
  Lane& lane = run.lane[managed_lane];
  const uint64_t what = pc * 0x9e3779b97f4a7c15u ^ reinterpret_cast<uintptr_t>(address);
  if (!lane.spin.Reads(what)) return YieldPoint(Kind::kLoad, pc);
  // For the policy it yields. It may compute all the same: it does not count as one that does not get on.
  if (lane.keeps || !Enter()) return;
  CountStep(Kind::kLoad, pc);
  if (PassToken(Kind::kYield)) Leave();
}

void StorePoint(uintptr_t pc) {
  run.lane[managed_lane].spin.Writes();
  YieldPoint(Kind::kStore, pc);
}

void KeepToken() {
  if (IsManaged()) run.lane[managed_lane].keeps = true;
}

Aside::Aside() : lane_(IsManaged() && Enter() ? managed_lane : -1) {
  if (lane_ >= 0) managed_lane = -1;
}

Aside::~Aside() {
  if (lane_ < 0) return;
  managed_lane = lane_;
  Leave();
}

void StopKeepingToken() {
  if (IsManaged()) run.lane[managed_lane].keeps = false;
}

}  // namespace refquake::sched
