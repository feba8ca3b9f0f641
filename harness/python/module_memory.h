// What the module under test keeps where no visit reaches it, read from its memory as a leak sanitizer reads a
// program's.
//
//   ModuleMemory memory(target);
//   if (memory.Find(object) != Place::kNowhere) ...   // the module may own it: no leak
//
// Data: the module's state, the writable segments of all files loaded since NoteLoadedFiles() (of the program, for a
// built-in module), and their thread-local storage in the calling thread and the workers. Heap: the blocks from malloc
// and PyMem_Malloc that data refers to, directly or by way of others. Neither objects nor thread states are gone
// through: what only a leaked object refers to stays a leak.
//
// Not seen: pointers that are stored altered or in a pthread key or PyThread_tss; the thread-local storage of the
// module's own threads; more than kMaxWords of the heap; without a sanitizer, what malloc gave. The heap of a module
// that registers its instances (registers.h) is left out: there a pointer owns nothing.
//
// Contract: no lane runs. The first Find() reads the data, the first that finds nothing there the heap, later ones what
// was read; slow: for confirming a finding.
#ifndef REFQUAKE_PYTHON_MODULE_MEMORY_H_
#define REFQUAKE_PYTHON_MODULE_MEMORY_H_

#include <Python.h>

#include <cstdint>
#include <vector>

#include "python/target.h"
#include "sched/pool.h"

namespace refquake {

enum class Place : uint8_t { kNowhere, kData, kHeap };

class ModuleMemory {
 public:
  explicit ModuleMemory(const Target& target) : target_(target) {}

  // Where the module's memory holds `address`; data goes first.
  Place Find(const void* address);

  // The files loaded by now are the harness's own: to be called once, before the target is imported.
  static void NoteLoadedFiles();
  // The threads to ask for their thread-local storage; may be null.
  static void AskThreads(sched::Pool* workers);

 private:
  void ReadData();
  void ReadHeap();

  const Target& target_;
  bool data_read_ = false;
  bool heap_read_ = false;
  std::vector<uintptr_t> data_;      // all that may be addresses, sorted
  std::vector<uintptr_t> followed_;  // of these, what the heap is looked through from
  std::vector<uintptr_t> heap_;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_MODULE_MEMORY_H_
