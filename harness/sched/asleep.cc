#include "sched/asleep.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/stuck.h"

namespace refquake::sched {
namespace {

constexpr int kTextBytes = 256;

void Append(char** end, const char* text) {
  while (*text != '\0') *(*end)++ = *text++;
  **end = '\0';
}

void AppendNumber(char** end, int number) {
  if (number >= 10) AppendNumber(end, number / 10);
  const char digit[] = {static_cast<char>('0' + number % 10), '\0'};
  Append(end, digit);
}

// What the kernel says of a thread, up to kTextBytes - 1 bytes of it; false: nothing.
bool ReadAbout(int thread, const char* file, char* text) {
  char path[64];
  char* end = path;
  Append(&end, "/proc/self/task/");
  AppendNumber(&end, thread);
  Append(&end, file);
  const long opened = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  const long got = syscall(SYS_read, opened, text, static_cast<size_t>(kTextBytes - 1));
  syscall(SYS_close, opened);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

// The next number, decimal or after "0x"; false: there is none.
bool NextNumber(const char** text, uint64_t* number) {
  const char* at = *text;
  while (*at == ' ') ++at;
  const bool hexadecimal = at[0] == '0' && at[1] == 'x';
  if (hexadecimal) at += 2;
  const char* first = at;
  for (*number = 0;; ++at) {
    const int letter = *at | 0x20;
    const bool digit = *at >= '0' && *at <= '9';
    if (!digit && !(hexadecimal && letter >= 'a' && letter <= 'f')) break;
    *number = *number * (hexadecimal ? 16 : 10) + static_cast<uint64_t>(digit ? *at - '0' : letter - 'a' + 10);
  }
  *text = at;
  return at != first;
}

// "202 0x7f12... 0x189 0x0 0x0 ...": a futex, its address, the operation, the value, the time-out.
bool WaitsForGood(int thread) {
  char text[kTextBytes];
  if (!ReadAbout(thread, "/syscall", text)) return false;
  const char* at = text;
  uint64_t call = 0, address = 0, operation = 0, value = 0, timeout = 0;
  if (!NextNumber(&at, &call) || !NextNumber(&at, &address) || !NextNumber(&at, &operation) ||
      !NextNumber(&at, &value) || !NextNumber(&at, &timeout)) {
    return false;
  }
  const uint64_t command = operation & static_cast<uint64_t>(FUTEX_CMD_MASK);
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI;
  return call == SYS_futex && waits && (operation & FUTEX_PRIVATE_FLAG) != 0 && timeout == 0;
}

}  // namespace

// "running" is no number; "-1 ..." stands for a page fault.
bool SleepsInACall(int thread) {
  char text[kTextBytes];
  const char* at = text;
  uint64_t call = 0;
  return ReadAbout(thread, "/syscall", text) && NextNumber(&at, &call);
}

bool AddTimeRun(int thread, uint64_t* run) {
  char text[kTextBytes];
  const char* at = text;
  uint64_t nanoseconds = 0;
  if (!ReadAbout(thread, "/schedstat", text) || !NextNumber(&at, &nanoseconds)) return false;
  *run += nanoseconds;
  return true;
}

bool LanesSleep(uint64_t* run) {
  *run = 0;
  for (int lane = 0; lane < RegisteredLanes(); ++lane) {
    if (!WaitsForGood(LaneThread(lane)) || !AddTimeRun(LaneThread(lane), run)) return false;
  }
  const int caller = CallerThread();
  return caller != 0 && WaitsForGood(caller) && AddTimeRun(caller, run);
}

}  // namespace refquake::sched
