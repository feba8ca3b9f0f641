#include "python/memory_block.h"

#include <algorithm>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#include <sanitizer/allocator_interface.h>
#define REFQUAKE_KNOWS_BLOCKS 1
#endif
#endif

#include "python/memory_state.h"

namespace refquake {

MemoryBlocks::MemoryBlocks() {
  refquake_visit_memory_pages(
      [](const refquake_page* page, void* pages) { static_cast<std::vector<refquake_page>*>(pages)->push_back(*page); },
      &pages_);
  std::sort(pages_.begin(), pages_.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
}

MemoryBlock MemoryBlocks::Around(uintptr_t address) const {
#ifdef REFQUAKE_KNOWS_BLOCKS
  if (const void* start = __sanitizer_get_allocated_begin(reinterpret_cast<const void*>(address))) {
    return {reinterpret_cast<uintptr_t>(start), __sanitizer_get_allocated_size(start)};
  }
#endif
  auto page = std::upper_bound(pages_.begin(), pages_.end(), address,
                               [](uintptr_t word, const refquake_page& other) { return word < other.start; });
  if (page == pages_.begin()) return {};
  --page;
  const size_t number = (address - page->start) / page->block_size;
  if (number >= page->blocks) return {};
  const uintptr_t start = page->start + number * page->block_size;
  if (IsPoisoned(reinterpret_cast<const void*>(start))) return {};
  return {start, page->block_size};
}

}  // namespace refquake
