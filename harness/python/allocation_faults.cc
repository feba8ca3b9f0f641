#include "python/allocation_faults.h"

#include <link.h>

#include <string>

#include "python/stack.h"

namespace refquake {
namespace {

// From the allocator up through CPython's constructors to the module's call.
constexpr int kNearestCallers = 12;

struct Range {
  uintptr_t start = 0;
  uintptr_t end = UINTPTR_MAX;
  bool Contains(uintptr_t pc) const { return pc >= start && pc < end; }
};

struct Fault {
  int left = 0;  // allocations until it strikes; 0: not armed
  FaultScope::Mode mode = FaultScope::kOnce;
  bool hit = false;
};

Range g_module;
PyMemAllocatorEx g_original[3];
thread_local Fault t_fault;

bool CalledByModule() {
  uintptr_t frames[kNearestCallers];
  const int count = CaptureStack(frames, kNearestCallers);
  for (int i = 0; i < count; ++i) {
    if (g_module.Contains(frames[i])) return true;
  }
  return false;
}

bool Fails() {
  Fault& fault = t_fault;
  if (fault.left == 0 || !CalledByModule()) return false;
  if (fault.left > 1) {
    --fault.left;
    return false;
  }
  if (fault.mode == FaultScope::kOnce) fault.left = 0;
  fault.hit = true;
  return true;
}

PyMemAllocatorEx& Original(void* context) { return *static_cast<PyMemAllocatorEx*>(context); }

void* Malloc(void* context, size_t size) {
  return Fails() ? nullptr : Original(context).malloc(Original(context).ctx, size);
}
void* Calloc(void* context, size_t count, size_t size) {
  return Fails() ? nullptr : Original(context).calloc(Original(context).ctx, count, size);
}
void* Realloc(void* context, void* memory, size_t size) {
  return Fails() ? nullptr : Original(context).realloc(Original(context).ctx, memory, size);
}
void Free(void* context, void* memory) { Original(context).free(Original(context).ctx, memory); }

struct Search {
  std::string file;
  Range text;
};

int FindText(dl_phdr_info* info, size_t, void* arg) {
  auto* search = static_cast<Search*>(arg);
  if (search->file != info->dlpi_name) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    search->text.start = info->dlpi_addr + segment.p_vaddr;
    search->text.end = search->text.start + segment.p_memsz;
  }
  return 1;
}

}  // namespace

void InstallAllocationFaults(const Target& target) {
  Ref file(PyObject_GetAttrString(target.module.get(), "__file__"));
  const char* name = file && PyUnicode_Check(file.get()) ? PyUnicode_AsUTF8(file.get()) : nullptr;
  PyErr_Clear();
  Search search;
  if (name) search.file = name;
  if (name) dl_iterate_phdr(FindText, &search);
  g_module = search.text;
  constexpr PyMemAllocatorDomain kDomains[] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
  for (int i = 0; i < 3; ++i) {
    PyMem_GetAllocator(kDomains[i], &g_original[i]);
    PyMemAllocatorEx failing = {&g_original[i], Malloc, Calloc, Realloc, Free};
    PyMem_SetAllocator(kDomains[i], &failing);
  }
}

FaultScope::FaultScope(int nth, Mode mode) { t_fault = {.left = nth, .mode = mode, .hit = false}; }
FaultScope::~FaultScope() { t_fault = {}; }
bool FaultScope::hit() const { return t_fault.hit; }

}  // namespace refquake
