#include "sched/module_threads.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace refquake::sched {
namespace {

// By their numbers. No initialisers: the compiler would call memset for so large an object.
struct Threads {
  static constexpr int kMost = 512;
  int count;
  bool complete;
  int id[kMost];

  bool Has(int thread) const {
    for (int i = 0; i < count; ++i) {
      if (id[i] == thread) return true;
    }
    return false;
  }
};

// As the kernel writes it behind a fixed head of 19 bytes: see getdents64(2).
struct Entry {
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

Threads before_loading;
Threads of_module;
Threads own;
bool own_noted = false;

// "." and ".." are no numbers.
int NumberIn(const char* text) {
  int number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return number;
}

void List(Threads* threads) {
  threads->count = 0;
  threads->complete = false;
  const long folder = syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(Entry) char bytes[4096];
  long got = 0;
  while ((got = syscall(SYS_getdents64, folder, bytes, sizeof(bytes))) > 0) {
    for (long at = 0; at < got;) {
      const Entry* entry = reinterpret_cast<const Entry*>(bytes + at);
      const int thread = NumberIn(bytes + at + offsetof(Entry, name));
      if (thread != 0 && threads->count < Threads::kMost) threads->id[threads->count++] = thread;
      at += entry->length;
    }
  }
  syscall(SYS_close, folder);
  threads->complete = got == 0 && threads->count < Threads::kMost;
}

void RemoveAll(const Threads& unwanted, Threads* threads) {
  int kept = 0;
  for (int i = 0; i < threads->count; ++i) {
    if (!unwanted.Has(threads->id[i])) threads->id[kept++] = threads->id[i];
  }
  threads->count = kept;
}

}  // namespace

void NoteThreadsBeforeLoading() { List(&before_loading); }

void NoteThreadsAfterLoading() {
  Threads now;
  List(&now);
  RemoveAll(before_loading, &now);
  for (int i = 0; i < now.count && of_module.count < Threads::kMost; ++i) of_module.id[of_module.count++] = now.id[i];
}

void NoteOwnThreads() {
  List(&own);
  RemoveAll(of_module, &own);
  own_noted = true;
}

bool ModuleThreadsRun() {
  if (!own_noted) return false;
  Threads now;
  List(&now);
  RemoveAll(own, &now);
  return now.count > 0 || !now.complete || !own.complete;
}

}  // namespace refquake::sched
