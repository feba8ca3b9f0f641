// How long this thread has neither run nor waited for a processor: it slept, or waited for something.
//
//   const double before = BlockedSeconds();
//   ...
//   if (BlockedSeconds() - before > 0.5) ...      // not for the machine's load
//
// Contract: only the difference of two readings by one thread means something. Where the kernel keeps no account it is
// 0.
#ifndef REFQUAKE_PYTHON_BLOCKED_TIME_H_
#define REFQUAKE_PYTHON_BLOCKED_TIME_H_

namespace refquake {

double BlockedSeconds();

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_BLOCKED_TIME_H_
