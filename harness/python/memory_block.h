// The blocks of the heap that a module allocates: from malloc, and from PyMem_Malloc.
//
//   const MemoryBlocks blocks;
//   MemoryBlock block = blocks.Around(word);   // any word; the size is 0 if it points into no living block
//
// Objects are no blocks. Without a sanitizer, what malloc gave cannot be told from anything else, and is none.
//
// Contract: no lane runs; a thread state is attached. Valid until something is allocated by PyMem_Malloc.
#ifndef REFQUAKE_PYTHON_MEMORY_BLOCK_H_
#define REFQUAKE_PYTHON_MEMORY_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "python/memory_pages.h"

namespace refquake {

struct MemoryBlock {
  uintptr_t start = 0;
  size_t size = 0;
};

class MemoryBlocks {
 public:
  MemoryBlocks();
  MemoryBlock Around(uintptr_t address) const;

 private:
  std::vector<refquake_page> pages_;  // of PyMem_Malloc, sorted
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_MEMORY_BLOCK_H_
