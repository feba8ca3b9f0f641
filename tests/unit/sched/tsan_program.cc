// Runs one body on two serialised lanes under ThreadSanitizer, over every interleaving with at most two
// preemptions. Built with -fsanitize=thread whatever the flavour.
//
//   sched_tsan_program race|locked|semaphores|condition
#include <cstdio>
#include <cstring>

#include "lane_program.h"
#include "sched/policy_exhaustive.h"
#include "sched/token.h"

namespace {

using namespace refquake::sched;

Shared shared;
const char* body = "";

void Run(int lane, void*) {
  if (std::strcmp(body, "race") == 0) IncrementBoth(&shared, 1);
  if (std::strcmp(body, "locked") == 0) IncrementBothLocked(&shared, 1);
  if (std::strcmp(body, "semaphores") == 0) TakeInOrder(&shared);
  if (std::strcmp(body, "condition") == 0) PingPong(&shared, lane, 2);
}

}  // namespace

extern "C" const char* __tsan_default_options() { return "exitcode=66"; }

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "use: %s race|locked|semaphores|condition\n", argv[0]);
    return 2;
  }
  body = argv[1];
  Pool pool;
  pool.Start(2, Run, nullptr);
  ExhaustivePolicy policy(2);
  int runs = 0;
  do {
    shared.turn = 0;
    RunStepped(pool, 2, policy);
    ++runs;
  } while (policy.Next());
  std::printf("%d interleavings\n", runs);
  return 0;
}
