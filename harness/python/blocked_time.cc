#include "python/blocked_time.h"

#include <time.h>

#include <cstdio>

namespace refquake {

double BlockedSeconds() {
  double running = 0;  // nanoseconds
  double waiting = 0;  // for a processor
  FILE* file = std::fopen("/proc/thread-self/schedstat", "r");
  const bool kept = file && std::fscanf(file, "%lf %lf", &running, &waiting) == 2;
  if (file) std::fclose(file);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return kept ? static_cast<double>(now.tv_sec) + (static_cast<double>(now.tv_nsec) - running - waiting) / 1e9 : 0;
}

}  // namespace refquake
