#include "python/memory_state.h"

#include <link.h>

#include <string>

#include "python/ref.h"

namespace refquake {
namespace {

struct Search {
  std::string file;
  const void* address;
  bool found = false;
};

// Reads past the sanitizer's red zones around globals.
__attribute__((no_sanitize("address", "thread"))) bool Holds(const void* from, size_t size, const void* address) {
  auto* word = static_cast<const void* const*>(from);
  for (size_t i = 0; i < size / sizeof(void*); ++i) {
    if (word[i] == address) return true;
  }
  return false;
}

int SearchFile(dl_phdr_info* info, size_t, void* arg) {
  auto* search = static_cast<Search*>(arg);
  const std::string_view name(info->dlpi_name);
  if (search->file.empty() ? !name.empty() : name != search->file) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    const auto* start = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    search->found |= Holds(start, segment.p_memsz, search->address);
  }
  return 1;
}

}  // namespace

bool PointsTo(PyObject* module, const void* address) {
  const PyModuleDef* def = PyModule_Check(module) ? PyModule_GetDef(module) : nullptr;
  const void* state = def && def->m_size > 0 ? PyModule_GetState(module) : nullptr;
  if (state && Holds(state, static_cast<size_t>(def->m_size), address)) return true;
  Search search{.address = address};
  Ref file(PyObject_GetAttrString(module, "__file__"));
  const char* name = file && PyUnicode_Check(file.get()) ? PyUnicode_AsUTF8(file.get()) : nullptr;
  if (name) search.file = name;
  PyErr_Clear();
  dl_iterate_phdr(SearchFile, &search);
  return search.found;
}

}  // namespace refquake
