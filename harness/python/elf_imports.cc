#include "python/elf_imports.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace refquake {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
#endif

struct Work {
  const std::string& file;
  std::span<const Redirection> redirections;
  int done = 0;
};

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * jumps = nullptr;
  size_t jumps_size = 0;
  const ElfW(Rela) * data = nullptr;
  size_t data_size = 0;
};

// The loader has made the addresses in a shared object's dynamic section absolute.
Tables ReadTables(const ElfW(Dyn) * entry) {
  Tables tables;
  for (; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        tables.strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        break;
      case DT_JMPREL:
        tables.jumps = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        tables.jumps_size = entry->d_un.d_val;
        break;
      case DT_RELA:
        tables.data = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        tables.data_size = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return tables;
}

void Write(void** place, void* value) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  void* start = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(place) & ~(page - 1));
  // Read-only after relocation, where the extension was linked so; left writable, which changes nothing.
  if (mprotect(start, page, PROT_READ | PROT_WRITE) == 0) *place = value;
}

void Redirect(Work& work, const Tables& tables, const ElfW(Rela) * relocation, size_t size, uint32_t type,
              ElfW(Addr) base) {
  for (const auto* end = relocation + size / sizeof(*relocation); relocation && relocation < end; ++relocation) {
    if (ELF64_R_TYPE(relocation->r_info) != type) continue;
    const char* name = tables.strings + tables.symbols[ELF64_R_SYM(relocation->r_info)].st_name;
    for (const Redirection& redirection : work.redirections) {
      if (std::strcmp(name, redirection.symbol) != 0) continue;
      Write(reinterpret_cast<void**>(base + relocation->r_offset), redirection.to);
      ++work.done;
    }
  }
}

int VisitFile(dl_phdr_info* info, size_t, void* arg) {
  auto* work = static_cast<Work*>(arg);
  if (work->file != info->dlpi_name) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    const Tables tables = ReadTables(reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + segment.p_vaddr));
    Redirect(*work, tables, tables.jumps, tables.jumps_size, kJumpSlot, info->dlpi_addr);
    Redirect(*work, tables, tables.data, tables.data_size, kGlobalData, info->dlpi_addr);
  }
  return 1;
}

}  // namespace

int RedirectImports(const std::string& file, std::span<const Redirection> redirections) {
  Work work{file, redirections};
  if (!file.empty()) dl_iterate_phdr(VisitFile, &work);
  return work.done;
}

}  // namespace refquake
