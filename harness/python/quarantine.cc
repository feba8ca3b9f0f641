#include "python/quarantine.h"

#include "python/memory_state.h"

#if defined(REFQUAKE_ASAN) && defined(Py_GIL_DISABLED)

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <vector>

#include "python/history.h"
#include "python/report.h"
#include "python/stack.h"

namespace refquake {
namespace {

constexpr int kFrames = 12;
constexpr size_t kHeld = 64;            // instances per thread
constexpr size_t kAllocations = 4096;   // remembered per thread
constexpr size_t kMaxSize = 64 * 1024;  // larger instances go at once
constexpr size_t kWord = 8;
// Header words that the collector reads of every block in its heaps: its bits, and the type.
constexpr size_t kBitsWord = 8;
constexpr size_t kTypeWord = offsetof(PyObject, ob_type);

struct Stack {
  std::array<uintptr_t, kFrames> frames;
  int count = 0;
  void Capture() { count = CaptureStack(frames.data(), kFrames); }
  std::string Text() const { return DescribeStack({frames.data(), static_cast<size_t>(count)}); }
};

struct Allocation {
  const void* object = nullptr;
  uint64_t time = 0;
  Stack stack;
};

struct Held {
  PyObject* object = nullptr;
  size_t size = 0;
  const WatchedType* type = nullptr;
  uint64_t time = 0;
  Stack stack;
};

struct ThreadRecord {
  std::vector<Allocation> allocations = std::vector<Allocation>(kAllocations);
  std::array<Held, kHeld> held;
  size_t next_allocation = 0;
  size_t next_held = 0;
};

// Never freed: a dying process reads them all. No lock: it would be a stepped lane's yield point.
constexpr size_t kMaxThreads = 256;
std::array<std::atomic<ThreadRecord*>, kMaxThreads> g_records;
std::atomic<size_t> g_threads = 0;

// Null for a thread too many, whose instances are not held.
ThreadRecord* Record() {
  thread_local ThreadRecord* record = nullptr;
  if (!record && g_threads.load(std::memory_order_relaxed) < kMaxThreads) {
    const size_t number = g_threads.fetch_add(1, std::memory_order_relaxed);
    if (number < kMaxThreads) g_records[number].store(record = new ThreadRecord, std::memory_order_release);
  }
  return record;
}

// Calls `look` with each thread's record.
void ForEachRecord(auto&& look) {
  for (const std::atomic<ThreadRecord*>& entry : g_records) {
    if (ThreadRecord* record = entry.load(std::memory_order_acquire)) look(*record);
  }
}

uint64_t Now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

size_t SizeOf(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  auto size = static_cast<size_t>(type->tp_basicsize);
  if (type->tp_itemsize > 0) size += static_cast<size_t>(type->tp_itemsize * Py_ABS(Py_SIZE(object)));
  return size & ~size_t{7};
}

void Poison(const Held& held) {
  auto* start = reinterpret_cast<char*>(held.object);
  __asan_poison_memory_region(start, held.size);
  __asan_unpoison_memory_region(start + kBitsWord, kWord);
  __asan_unpoison_memory_region(start + kTypeWord, kWord);
}

void Free(Held& held) {
  if (!held.object) return;
  __asan_unpoison_memory_region(held.object, held.size);
  held.type->free(held.object);
  held.object = nullptr;
}

const Held* FindHeld(const char* address) {
  const Held* found = nullptr;
  ForEachRecord([&](ThreadRecord& record) {
    for (const Held& held : record.held) {
      const auto* start = reinterpret_cast<const char*>(held.object);
      if (start && address >= start && address < start + held.size) found = &held;
    }
  });
  return found;
}

const Allocation* FindAllocation(const Held& held) {
  const Allocation* latest = nullptr;
  ForEachRecord([&](ThreadRecord& record) {
    for (const Allocation& allocation : record.allocations) {
      if (allocation.object != held.object || allocation.time > held.time) continue;
      if (!latest || allocation.time > latest->time) latest = &allocation;
    }
  });
  return latest;
}

// Called by the sanitizer when its report, with the stack of the use, is printed.
void OnReport(const char*) {
  const Held* held = FindHeld(static_cast<const char*>(__asan_get_report_address()));
  if (!held) return;
  const Allocation* allocation = FindAllocation(*held);
  std::string stacks = "==refquake== the instance was freed here:\n" + held->stack.Text();
  if (allocation) stacks += "==refquake== and allocated here:\n" + allocation->stack.Text();
  std::fputs(stacks.c_str(), stderr);
  Finding finding;
  finding.kind = "use-after-free";
  finding.type = held->type->name;
  finding.what = "an instance was used after its tp_dealloc had freed it: the stacks are above";
  finding.expected = "no use after tp_free";
  finding.found = "a use " +
                  std::to_string(static_cast<const char*>(__asan_get_report_address()) -
                                 reinterpret_cast<const char*>(held->object)) +
                  " bytes into it";
  finding.history = HistoryOf(held->object);
  finding.rule =
      "who uses an object must own a reference to it, or know who does (CPython documentation: Reference "
      "Counting)";
  finding.hint = "look for a borrowed reference kept too long, a store without Py_INCREF, a Py_DECREF too many";
  Report(std::move(finding));
}

}  // namespace

void Quarantine::Install() { __asan_set_error_report_callback(OnReport); }

void Quarantine::NoteAllocation(const PyObject* object) {
  ThreadRecord* record = Record();
  if (!record) return;
  Allocation& allocation = record->allocations[record->next_allocation++ % kAllocations];
  allocation.object = object;
  allocation.time = Now();
  allocation.stack.Capture();
}

bool Quarantine::Hold(PyObject* object, const WatchedType& watched) {
  const bool known_free = watched.free == PyObject_GC_Del || watched.free == PyObject_Free;
  const size_t size = SizeOf(object);
  if (!known_free || Py_TYPE(object) != watched.type || size > kMaxSize || size < sizeof(PyObject)) return false;
  ThreadRecord* record = Record();
  if (!record) return false;
  Held& held = record->held[record->next_held++ % kHeld];
  Free(held);
  held = {.object = object, .size = size, .type = &watched, .time = Now()};
  held.stack.Capture();
  Poison(held);
  return true;
}

void Quarantine::Release() {
  ForEachRecord([](ThreadRecord& record) {
    // The oldest first, as they would have gone.
    for (size_t i = 0; i < kHeld; ++i) Free(record.held[(record.next_held + i) % kHeld]);
    record.next_held = 0;
  });
}

}  // namespace refquake

#else

namespace refquake {

void Quarantine::Install() {}
void Quarantine::NoteAllocation(const PyObject*) {}
bool Quarantine::Hold(PyObject*, const WatchedType&) { return false; }
void Quarantine::Release() {}

}  // namespace refquake

#endif
