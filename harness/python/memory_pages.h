/* The pages that PyMem_Malloc takes its blocks from, of all threads.
 *
 *   refquake_visit_memory_pages(visit, argument);    // visit(page, argument) for each
 *
 * Contract: no lane runs; a thread state is attached. The world is stopped meanwhile: `visit` touches no object.
 * Without free threading there are none: that interpreter's allocator is another one.
 * Source: CPython, Include/internal/pycore_mimalloc.h (_Py_MIMALLOC_HEAP_MEM). */
#ifndef REFQUAKE_PYTHON_MEMORY_PAGES_H_
#define REFQUAKE_PYTHON_MEMORY_PAGES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uintptr_t start;
    size_t block_size;
    size_t blocks;      /* in use or free */
} refquake_page;

void refquake_visit_memory_pages(void (*visit)(const refquake_page *, void *), void *argument);

#ifdef __cplusplus
}
#endif

#endif
