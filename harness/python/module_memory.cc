#include "python/module_memory.h"

#include <link.h>

#include <algorithm>
#include <string_view>

#include "python/address_map.h"
#include "python/memory_block.h"
#include "python/ref.h"

namespace refquake {
namespace {

constexpr size_t kMaxWords = 1u << 18;  // of the heap: 2 MB

std::vector<ElfW(Addr)> g_own_files;
sched::Pool* g_workers = nullptr;

struct Root {
  MemoryBlock block;
  bool followed;  // not the program's: from its data all of the harness can be reached
};

struct Roots {
  bool built_in;
  std::vector<Root> found;
};

bool IsBrought(const dl_phdr_info* info) {
  return std::find(g_own_files.begin(), g_own_files.end(), info->dlpi_addr) == g_own_files.end();
}

int TakeData(dl_phdr_info* info, size_t, void* arg) {
  auto* roots = static_cast<Roots*>(arg);
  const bool brought = IsBrought(info);
  if (!brought && !(roots->built_in && std::string_view(info->dlpi_name).empty())) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    roots->found.push_back({{info->dlpi_addr + segment.p_vaddr, segment.p_memsz}, brought});
  }
  return 0;
}

// The loader tells of the calling thread's blocks; of none where the thread never used them.
int TakeThreadLocal(dl_phdr_info* info, size_t, void* arg) {
  if (!IsBrought(info) || !info->dlpi_tls_data) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_TLS) continue;
    static_cast<Roots*>(arg)->found.push_back(
        {{reinterpret_cast<uintptr_t>(info->dlpi_tls_data), segment.p_memsz}, true});
  }
  return 0;
}

void TakeThread(int, void* roots) { dl_iterate_phdr(TakeThreadLocal, roots); }

bool IsBuiltIn(PyObject* module) {
  const int has = PyObject_HasAttrStringWithError(module, "__file__");
  PyErr_Clear();
  return has <= 0;
}

Roots FindRoots(PyObject* module) {
  Roots roots{.built_in = IsBuiltIn(module), .found = {}};
  const PyModuleDef* def = PyModule_Check(module) ? PyModule_GetDef(module) : nullptr;
  PyErr_Clear();
  const void* state = def && def->m_size > 0 ? PyModule_GetState(module) : nullptr;
  if (state) roots.found.push_back({{reinterpret_cast<uintptr_t>(state), static_cast<size_t>(def->m_size)}, true});
  dl_iterate_phdr(TakeData, &roots);
  TakeThread(0, &roots);
  if (g_workers) g_workers->RunOnEach(g_workers->workers(), TakeThread, &roots);
  return roots;
}

// Appends what may be addresses. Reads past the sanitizer's red zones around globals.
__attribute__((no_sanitize("address", "thread"))) void ReadWords(const MemoryBlock& block,
                                                                 std::vector<uintptr_t>& words) {
  const uintptr_t end = block.start + block.size;
  for (uintptr_t at = (block.start + 7) & ~uintptr_t{7}; at + sizeof(uintptr_t) <= end; at += sizeof(uintptr_t)) {
    const uintptr_t word = *reinterpret_cast<const uintptr_t*>(at);
    if (word >= 4096 && word >> 48 == 0) words.push_back(word);
  }
}

// Follows words into blocks of the heap, breadth first, each block once.
class Walk {
 public:
  // From the thread states, which modules may hold, all of the interpreter can be reached.
  void LeaveOutThreads() {
    PyInterpreterState* interpreter = PyInterpreterState_Get();
    for (PyThreadState* state = PyInterpreterState_ThreadHead(interpreter); state; state = PyThreadState_Next(state)) {
      taken_[Key(blocks_.Around(reinterpret_cast<uintptr_t>(state)))] = true;
    }
  }

  void Follow(std::vector<uintptr_t> words, std::vector<uintptr_t>& found) {
    size_t left = kMaxWords;
    for (size_t next = 0; next < words.size(); ++next) {
      MemoryBlock block = blocks_.Around(words[next]);
      if (block.size == 0) continue;
      bool& taken = taken_[Key(block)];
      if (taken) continue;
      taken = true;
      block.size = std::min(block.size, left * sizeof(uintptr_t));
      left -= block.size / sizeof(uintptr_t);
      const size_t before = words.size();
      ReadWords(block, words);
      found.insert(found.end(), words.begin() + static_cast<std::ptrdiff_t>(before), words.end());
    }
  }

 private:
  static const void* Key(const MemoryBlock& block) { return reinterpret_cast<const void*>(block.start); }

  const MemoryBlocks blocks_;
  AddressMap<bool> taken_;
};

}  // namespace

void ModuleMemory::NoteLoadedFiles() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        g_own_files.push_back(info->dlpi_addr);
        return 0;
      },
      nullptr);
}

void ModuleMemory::AskThreads(sched::Pool* workers) { g_workers = workers; }

void ModuleMemory::ReadData() {
  data_read_ = true;
  for (const Root& root : FindRoots(target_.module.get()).found) {
    ReadWords(root.block, root.followed ? followed_ : data_);
  }
  data_.insert(data_.end(), followed_.begin(), followed_.end());
  std::sort(data_.begin(), data_.end());
}

void ModuleMemory::ReadHeap() {
  heap_read_ = true;
  if (target_.registers_instances) return;
  Walk walk;
  walk.LeaveOutThreads();
  walk.Follow(std::move(followed_), heap_);
  std::sort(heap_.begin(), heap_.end());
}

Place ModuleMemory::Find(const void* address) {
  const auto word = reinterpret_cast<uintptr_t>(address);
  if (!data_read_) ReadData();
  if (std::binary_search(data_.begin(), data_.end(), word)) return Place::kData;
  if (!heap_read_) ReadHeap();
  return std::binary_search(heap_.begin(), heap_.end(), word) ? Place::kHeap : Place::kNowhere;
}

}  // namespace refquake
