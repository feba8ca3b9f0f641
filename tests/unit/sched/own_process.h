// For what changes a process for good: each body runs in one of its own.
//
//   EXPECT_RUNS_THROUGH({ if (!works) _exit(1); });
#ifndef REFQUAKE_TESTS_UNIT_SCHED_OWN_PROCESS_H_
#define REFQUAKE_TESTS_UNIT_SCHED_OWN_PROCESS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#define EXPECT_RUNS_THROUGH(body) \
  EXPECT_EXIT(                    \
      {                           \
        body;                     \
        _exit(0);                 \
      },                          \
      testing::ExitedWithCode(0), "")

#endif  // REFQUAKE_TESTS_UNIT_SCHED_OWN_PROCESS_H_
