// What the scheduler costs, in nanoseconds; figures for docs/schedule.md.
#include <sched.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sched/policy_pct.h"
#include "sched/policy_replay.h"
#include "sched/token.h"

extern "C" void __sanitizer_cov_load8(void* address);

namespace {

using namespace refquake::sched;

int points = 0;  // per lane

double NanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void Load(int, void*) {
  for (int i = 0; i < points; ++i) __sanitizer_cov_load8(nullptr);
}

void Yield(int, void*) {
  for (int i = 0; i < points; ++i) sched_yield();
}

double Unmanaged() {
  points = 100'000'000;
  auto start = std::chrono::steady_clock::now();
  Load(0, nullptr);
  return NanosecondsSince(start) / points;
}

double PointWithoutSwitch() {
  Pool pool;
  pool.Start(2, Load, nullptr);
  PctPolicy policy(1, 1, 1);
  points = 2'000'000;
  auto start = std::chrono::steady_clock::now();
  RunStepped(pool, 2, policy, 0, 10'000'000);
  return NanosecondsSince(start) / (2.0 * points);
}

double Switch(int lanes) {
  Pool pool;
  pool.Start(lanes, Yield, nullptr);
  ReplayPolicy policy(nullptr, 0);
  points = 20'000;
  auto start = std::chrono::steady_clock::now();
  SteppedRun run = RunStepped(pool, lanes, policy, 0, 10'000'000);
  return NanosecondsSince(start) / run.switches;
}

double EmptyRun(int lanes, bool stepped) {
  Pool pool;
  points = 0;
  pool.Start(lanes, Load, nullptr);
  ReplayPolicy policy(nullptr, 0);
  constexpr int kRuns = 5000;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRuns; ++i) {
    if (stepped) {
      RunStepped(pool, lanes, policy);
    } else {
      pool.RunFree(lanes);
    }
  }
  return NanosecondsSince(start) / kRuns;
}

}  // namespace

int main() {
  std::printf("yield point, not managed:      %8.2f ns\n", Unmanaged());
  std::printf("yield point, no switch:        %8.2f ns\n", PointWithoutSwitch());
  for (int lanes : {2, 3, 8}) {
    std::printf("%d lanes: a switch              %8.0f ns\n", lanes, Switch(lanes));
    std::printf("%d lanes: empty run, free       %8.0f ns\n", lanes, EmptyRun(lanes, false));
    std::printf("%d lanes: empty run, stepped    %8.0f ns\n", lanes, EmptyRun(lanes, true));
  }
  return 0;
}
