#include "sched/module_base.h"

#include <dlfcn.h>
#include <link.h>

namespace refquake::sched {
namespace {

struct Module {
  uintptr_t begin = 1;
  uintptr_t end = 0;
  uint64_t identity = 0;
};

constexpr int kCached = 8;
Module cached[kCached];  // most programs yield in one or two objects
int next_to_replace = 0;
int last = 0;

uint64_t HashOfBaseName(const char* path) {
  const char* base = path;
  for (const char* c = path; *c != '\0'; ++c) {
    if (*c == '/') base = c + 1;
  }
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *base != '\0'; ++base) hash = (hash ^ static_cast<uint8_t>(*base)) * 0x100000001b3u;
  return hash;
}

bool Contains(const Module& module, uintptr_t pc) { return pc >= module.begin && pc < module.end; }

int Find(uintptr_t pc) {
  for (int i = 0; i < kCached; ++i) {
    if (Contains(cached[i], pc)) return i;
  }
  // Unlike dladdr, this takes no lock: another lane may have stopped while it held the loader's.
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(pc), &found) != 0) return -1;
  int at = next_to_replace;
  next_to_replace = (at + 1) % kCached;
  cached[at].begin = reinterpret_cast<uintptr_t>(found.dlfo_map_start);
  cached[at].end = reinterpret_cast<uintptr_t>(found.dlfo_map_end);
  cached[at].identity = HashOfBaseName(found.dlfo_link_map->l_name);
  return at;
}

}  // namespace

CodePlace PlaceOf(uintptr_t pc) {
  dl_find_object found;
  if (pc == 0 || _dl_find_object(reinterpret_cast<void*>(pc), &found) != 0) return {};
  const char* file = found.dlfo_link_map->l_name;
  if (*file == '\0') return {};  // the program itself
  return {file, pc - reinterpret_cast<uintptr_t>(found.dlfo_map_start)};
}

uint64_t StableAddress(uintptr_t pc) {
  if (!Contains(cached[last], pc)) {
    int found = Find(pc);
    if (found < 0) return 0;
    last = found;
  }
  return (pc - cached[last].begin) ^ cached[last].identity;
}

}  // namespace refquake::sched
