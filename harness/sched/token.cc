#include "sched/token.h"

#include "sched/futex.h"
#include "sched/lane.h"
#include "sched/module_base.h"
#include "sched/module_threads.h"

namespace refquake::sched {

constinit thread_local int managed_lane = -1;

namespace {

constexpr int64_t kMicrosecond = 1000;
constexpr int64_t kMillisecond = 1000000;
constexpr int64_t kHour = int64_t{3600} * 1000000000;
// Not zero: programs subtract from the time they read. The same in every run.
constexpr int64_t kFirstNanosecond = int64_t{1000000} * 1000000000;

struct Lane {
  alignas(64) uint32_t gate = 0;  // futex word: 1 hands this lane the token
  LaneState state = LaneState::kNotStarted;
  Kind kind = Kind::kStart;
  bool timed_out = false;
  bool keeps = false;  // the token: see KeepToken
  uint32_t steps = 0;
  uint32_t begun = 0;               // op boundaries, and the lane's end
  uint32_t into = 0;                // steps since the last of them
  uintptr_t deepest = UINTPTR_MAX;  // of its stack in this op
  uintptr_t back_at = 0;            // how far it has come back from there
  uintptr_t pc = 0;
  const void* object = nullptr;
  int64_t deadline = kNoDeadline;
  uint64_t wait_order = 0;
};

// Belongs to the holder of the token; to the caller of RunStepped before and after the run.
struct Run {
  Pool* pool = nullptr;
  Policy* policy = nullptr;
  bool active = false;
  int lanes = 0;
  int current = -1;
  uint32_t runnable = 0;
  int unfinished = 0;
  uint32_t steps = 0;
  uint32_t max_steps = 0;  // in which no lane gets on; one more is a livelock
  uint32_t last_step = 0;
  uint64_t hash = 0;
  uint32_t switches = 0;
  uint64_t waits = 0;
  int64_t now = 0;
  Lane lane[kMaxLanes];
};

Run run;
SwitchRecord record[kMaxRecorded];
StuckHandler stuck_handler = nullptr;
StuckReport stuck_report;

void Mix(uint64_t value) { run.hash = (run.hash ^ value) * 0x100000001b3u; }

[[noreturn]] void Stuck(StuckReport::Why why) {
  managed_lane = -1;  // the handler is ordinary code: it must not come back here as a lane
  DescribeRun(&stuck_report);
  stuck_report.why = why;
  CaptureStacks(&stuck_report);
  if (stuck_handler != nullptr) stuck_handler(stuck_report);
  Die(why == StuckReport::Why::kDeadlock ? "deadlock: every lane waits" : "livelock: too many yield points");
}

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
  Mix(static_cast<uint64_t>(kind) << 56 ^ static_cast<uint64_t>(run.current) << 48 ^ place);
  const bool gets_on = GetsOn(lane, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  if (gets_on || kind == Kind::kOp || kind == Kind::kExit) {
    run.last_step = run.steps + run.max_steps;
  } else if (run.steps > run.last_step) {
    if (!ModuleThreadsRun()) Stuck(StuckReport::Why::kLivelock);
    run.last_step = run.steps + run.max_steps;  // they may wait for one of those: how long is the watchdog's business
  }
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
  Mix(0x5000000000000000u | static_cast<uint64_t>(to));
  Record(choice, to);
  return to;
}

int LongestWaiting(const void* object, bool timed_only) {
  int best = -1;
  for (int i = 0; i < run.lanes; ++i) {
    const Lane& lane = run.lane[i];
    bool waits = lane.state == LaneState::kTimedWaiting || (!timed_only && lane.state == LaneState::kWaiting);
    if (!waits || (object != nullptr && lane.object != object)) continue;
    if (best < 0 || lane.wait_order < run.lane[best].wait_order) best = i;
  }
  return best;
}

void MakeRunnable(int lane) {
  run.lane[lane].state = LaneState::kRunnable;
  run.lane[lane].object = nullptr;
  run.runnable |= 1u << lane;
}

// What only a thread of the module's can end is looked at again after a while of real time: all of them are waits in a
// loop (interpose.cc). How often depends on that thread: such a program may not replay.
void LookAgain() {
  static uint32_t never_woken = 0;
  FutexWaitFor(&never_woken, 0, 1);
  for (int i = 0; i < run.lanes; ++i) {
    if (run.lane[i].state == LaneState::kWaiting) MakeRunnable(i);
  }
}

// Nobody can run: time passes until the oldest timed wait is over.
void TimeOutOldest() {
  int oldest = LongestWaiting(nullptr, /*timed_only=*/true);
  if (oldest < 0 && ModuleThreadsRun()) return LookAgain();
  if (oldest < 0) Stuck(StuckReport::Why::kDeadlock);
  Lane& lane = run.lane[oldest];
  // A deadline that a thread outside the run computed is in real time, and means nothing here.
  bool sane = lane.deadline > run.now && lane.deadline < run.now + kHour;
  run.now = sane ? lane.deadline : run.now + kMillisecond;
  lane.timed_out = true;
  MakeRunnable(oldest);
  Mix(0x7000000000000000u | static_cast<uint64_t>(oldest));
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

void AwaitToken(int own) {
  uint32_t* gate = &run.lane[own].gate;
  while (Load(gate) == 0) FutexWait(gate, 0);
  Store(gate, 0);
}

void PassToken(Kind kind) {
  int own = run.current;
  int to = Choose(kind);
  if (to == own) return;
  GiveTokenTo(to);
  AwaitToken(own);
}

void EnterRun(int lane) { managed_lane = lane; }

void LeaveRun(int lane) {
  managed_lane = -1;
  CountStep(Kind::kExit, 0);
  run.lane[lane].state = LaneState::kDone;
  run.runnable &= ~(1u << lane);
  if (--run.unfinished == 0) return;
  if (run.runnable == 0) TimeOutOldest();
  GiveTokenTo(Choose(Kind::kExit));
}

void PrepareRun(Pool& pool, int lanes, Policy& policy, uint32_t max_steps, uint32_t first_step) {
  run.pool = &pool;
  run.policy = &policy;
  run.active = true;
  run.lanes = run.unfinished = lanes;
  run.current = -1;
  run.runnable = (1u << lanes) - 1;
  run.steps = first_step;
  run.max_steps = max_steps;
  run.last_step = first_step + max_steps;
  if (first_step == 0) {
    run.hash = 0xcbf29ce484222325u;
    run.switches = 0;
  }
  run.waits = 0;
  run.now = kFirstNanosecond;
  for (int i = 0; i < kMaxLanes; ++i) run.lane[i] = Lane{};
}

}  // namespace

SteppedRun RunStepped(Pool& pool, int lanes, Policy& policy, uint32_t first_step, uint32_t max_steps) {
  if (lanes < 1 || lanes > pool.workers())
    Die("a stepped run needs 1 lane at least and no more than there are workers");
  PrepareRun(pool, lanes, policy, max_steps, first_step);
  policy.NewExecution(lanes);
  int first = Choose(Kind::kStart);
  run.current = first;
  run.lane[first].state = LaneState::kRunnable;
  pool.RunGated(lanes, {.enter = EnterRun, .leave = LeaveRun}, first);
  run.active = false;
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
  report->stepped = run.active;
  report->lanes = run.active ? run.lanes : RegisteredLanes();
  if (!run.active) return;
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
  if (run.lane[run.current].keeps && kind != Kind::kYield) return;
  CountStep(kind, pc);
  PassToken(kind);
}

bool WaitFor(const void* object, int64_t deadline, uintptr_t pc) {
  int own = managed_lane;
  Lane& lane = run.lane[own];
  CountStep(Kind::kBlock, pc);
  lane.state = deadline == kNoDeadline ? LaneState::kWaiting : LaneState::kTimedWaiting;
  lane.object = object;
  lane.deadline = deadline;
  lane.timed_out = false;
  lane.wait_order = ++run.waits;
  run.runnable &= ~(1u << own);
  if (run.runnable == 0) TimeOutOldest();
  PassToken(Kind::kBlock);
  return !lane.timed_out;
}

void WakeWaiters(const void* object, int count) {
  for (; count > 0; --count) {
    int lane = LongestWaiting(object, /*timed_only=*/false);
    if (lane < 0) return;
    MakeRunnable(lane);
  }
}

void KeepToken() {
  if (IsManaged()) run.lane[managed_lane].keeps = true;
}

void StopKeepingToken() {
  if (IsManaged()) run.lane[managed_lane].keeps = false;
}

int64_t ReadVirtualNanoseconds() { return run.now += kMicrosecond; }

}  // namespace refquake::sched
