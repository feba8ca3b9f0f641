#include "sched/module_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "lane_program.h"
#include "own_process.h"
#include "sched/policy_replay.h"
#include "sched/pool.h"
#include "sched/token.h"
#include "sched/watchdog.h"

namespace refquake::sched {
namespace {

// A thread that waits for its end in read(2): it is in no futex.
class Reader {
 public:
  Reader() {
    EXPECT_EQ(pipe(pipe_), 0);
    EXPECT_EQ(pthread_create(&thread_, nullptr, Read, this), 0);
  }
  ~Reader() {
    EXPECT_EQ(write(pipe_[1], "x", 1), 1);
    pthread_join(thread_, nullptr);
  }

 private:
  static void* Read(void* self) {
    char byte;
    while (read(static_cast<Reader*>(self)->pipe_[0], &byte, 1) < 0) {
    }
    return nullptr;
  }
  int pipe_[2];
  pthread_t thread_;
};

// Joined, a thread stays in the kernel's list for a moment.
bool AreSoonGone() {
  for (int i = 0; i < 100000; ++i) {
    if (!ModuleThreadsRun()) return true;
    sched_yield();
  }
  return false;
}

// Each in a process of its own: what is noted is the process's.
class ModuleThreads : public testing::Test {
 protected:
  ModuleThreads() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

#define REQUIRE(condition) \
  if (!(condition)) _exit(__LINE__ % 200 + 1)

TEST_F(ModuleThreads, AreThoseThatCameWhileItLoadedOrSinceTheFirstProgram) {
  EXPECT_RUNS_THROUGH({
    Reader before;
    NoteThreadsBeforeLoading();
    auto* loaded = new Reader;
    NoteThreadsAfterLoading();
    Reader harness;
    REQUIRE(!ModuleThreadsRun());
    NoteOwnThreads();
    REQUIRE(ModuleThreadsRun());
    delete loaded;
    REQUIRE(AreSoonGone());
    auto* later = new Reader;
    REQUIRE(ModuleThreadsRun());
    delete later;
    REQUIRE(AreSoonGone());
  });
}

constexpr char kWhy[][10] = {"deadlock", "livelock", "hang", "long-run"};

void PrintAndExit(const StuckReport& report) {
  dprintf(STDERR_FILENO, "%s\n", kWhy[static_cast<int>(report.why)]);
  _exit(66);
}

void NoteAll() {
  NoteThreadsBeforeLoading();
  NoteThreadsAfterLoading();
  NoteOwnThreads();
}

void RunFree(void (*body)(Shared*)) {
  static Shared shared;
  static void (*lane_body)(Shared*) = body;
  static Pool pool;
  pool.Start(2, [](int, void*) { lane_body(&shared); }, nullptr);
  NoteAll();
  ArmWatchdog();
  pool.RunFree(2);
  _exit(0);
}

void ReadForEver(Shared*) {
  int ends[2];
  char byte;
  if (pipe(ends) == 0) (void)!read(ends[0], &byte, 1);
}

TEST_F(ModuleThreads, WithoutThemLanesThatAllWaitForGoodAreADeadlockBeforeTheDeadline) {
  EXPECT_EXIT(
      {
        StartWatchdog(600, PrintAndExit);
        RunFree(WaitForEver);
      },
      testing::ExitedWithCode(66), "deadlock");
}

TEST_F(ModuleThreads, WithOneTheSameIsAHang) {
  EXPECT_EXIT(
      {
        StartWatchdog(2, PrintAndExit);
        RunFree([](Shared* shared) {
          static Reader module;
          WaitForEver(shared);
        });
      },
      testing::ExitedWithCode(66), "hang");
}

TEST_F(ModuleThreads, ALaneInAnotherWaitIsNoDeadlock) {
  EXPECT_EXIT(
      {
        StartWatchdog(2, PrintAndExit);
        RunFree(ReadForEver);
      },
      testing::ExitedWithCode(66), "hang");
}

// The only lane waits, and what it waits for comes from outside the run.
TEST_F(ModuleThreads, MayPostWhatASteppedLaneWaitsFor) {
  EXPECT_RUNS_THROUGH({
    static Shared shared;
    static Pool pool;
    pool.Start(
        1,
        [](int, void*) {
          sem_wait(&shared.first);
          pthread_t poster;
          pthread_create(
              &poster, nullptr,
              [](void*) -> void* {
                usleep(20000);  // so that the lane mostly waits by then; either way it must end
                sem_post(&shared.first);
                return nullptr;
              },
              nullptr);
          sem_wait(&shared.first);
          pthread_detach(poster);
        },
        nullptr);
    NoteAll();
    SetStuckHandler(PrintAndExit);
    ReplayPolicy policy(nullptr, 0);
    RunStepped(pool, 1, policy);
  });
}

}  // namespace
}  // namespace refquake::sched
