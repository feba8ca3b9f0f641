/* In C, because CPython's internal headers are. Not sanitized: it reads mimalloc's own structures. */
#ifndef Py_BUILD_CORE
#  define Py_BUILD_CORE 1
#endif
#include <Python.h>

#include "python/memory_pages.h"

#ifdef Py_GIL_DISABLED
#  include <stdbool.h>

#  include "internal/pycore_gc.h" /* 3.13's pycore_tstate.h does not include what it needs */
#  include "internal/pycore_pystate.h"
#  include "internal/pycore_tstate.h"

static void
visit_page(mi_page_t *page, void (*visit)(const refquake_page *, void *), void *argument)
{
    size_t size;
    const uint8_t *start = _mi_segment_page_start(_mi_page_segment(page), page, &size);
    const refquake_page shown = {(uintptr_t)start, mi_page_block_size(page), page->capacity};
    visit(&shown, argument);
}

void
refquake_visit_memory_pages(void (*visit)(const refquake_page *, void *), void *argument)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    _PyEval_StopTheWorld(interpreter);
    for (PyThreadState *state = interpreter->threads.head; state != NULL; state = state->next) {
        mi_heap_t *heap = &((_PyThreadStateImpl *)state)->mimalloc.heaps[_Py_MIMALLOC_HEAP_MEM];
        for (size_t bin = 0; bin <= MI_BIN_FULL && heap->page_count > 0; ++bin) {
            for (mi_page_t *page = heap->pages[bin].first; page != NULL; page = page->next) {
                visit_page(page, visit, argument);
            }
        }
    }
    _PyEval_StartTheWorld(interpreter);
}
#else
void
refquake_visit_memory_pages(void (*visit)(const refquake_page *, void *), void *argument)
{
    (void)visit;
    (void)argument;
}
#endif
