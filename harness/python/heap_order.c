/* In C, because CPython's internal headers are. Not sanitized: free blocks are poisoned. */
#ifndef Py_BUILD_CORE
#  define Py_BUILD_CORE 1
#endif
#include <Python.h>

#include "python/heap_order.h"

#ifdef Py_GIL_DISABLED
#  include <stdbool.h>
#  include <stdlib.h>

#  include "internal/pycore_gc.h" /* 3.13's pycore_tstate.h does not include what it needs */
#  include "internal/pycore_pystate.h"
#  include "internal/pycore_tstate.h"

/* A page of more is one of very small blocks, none of which is an object. */
#  define MAX_BLOCKS 4096

static mi_block_t *blocks[MAX_BLOCKS];

static int
compare(const void *one, const void *other)
{
    const uintptr_t a = (uintptr_t)*(mi_block_t *const *)one, b = (uintptr_t)*(mi_block_t *const *)other;
    return (a > b) - (a < b);
}

/* What was freed twice makes a circle: then whoever walks it would not come to an end. */
static bool
is_finite(const mi_page_t *page, const mi_block_t *block)
{
    for (size_t count = 0; count <= page->capacity; ++count) {
        if (block == NULL) {
            return true;
        }
        block = mi_block_next(page, block);
    }
    return false;
}

static void
order_page(mi_page_t *page)
{
    if (!is_finite(page, page->local_free) || !is_finite(page, page->free)) {
        return;
    }
    _mi_page_free_collect(page, true);
    size_t count = 0;
    bool ordered = true;
    for (mi_block_t *block = page->free; block != NULL; block = mi_block_next(page, block)) {
        if (count == MAX_BLOCKS) {
            return;
        }
        ordered = ordered && (count == 0 || blocks[count - 1] < block);
        blocks[count++] = block;
    }
    if (ordered) {
        return;
    }
    qsort(blocks, count, sizeof(blocks[0]), compare);
    for (size_t i = 0; i < count; ++i) {
        mi_block_set_next(page, blocks[i], i + 1 < count ? blocks[i + 1] : NULL);
    }
    page->free = blocks[0];
}

void
refquake_order_heap(PyThreadState *state)
{
#  if PY_VERSION_HEX < 0x030E0000
    /* 3.13 puts a page that becomes empty on the list of the thread that frees, which its owner then changes unlocked. */
    if (state != PyThreadState_Get()) {
        return;
    }
#  endif
    struct _mimalloc_thread_state *own = &((_PyThreadStateImpl *)state)->mimalloc;
    for (int number = 0; number < _Py_MIMALLOC_HEAP_COUNT; ++number) {
        mi_heap_t *heap = &own->heaps[number];
        if (heap->page_count == 0) {
            continue;
        }
        _mi_heap_delayed_free_all(heap); /* of another thread's heap: the collector does the like */
        for (size_t bin = 0; bin < MI_BIN_FULL; ++bin) { /* full pages have no free block */
            for (mi_page_t *page = heap->pages[bin].first; page != NULL; page = page->next) {
                order_page(page);
            }
        }
    }
}

void
refquake_clear_free_lists(PyThreadState *state)
{
    _PyGC_ClearAllFreeLists(state->interp);
}

void
refquake_stop_world(PyThreadState *state)
{
    _PyEval_StopTheWorld(state->interp);
}

void
refquake_start_world(PyThreadState *state)
{
    _PyEval_StartTheWorld(state->interp);
}
#else
void
refquake_order_heap(PyThreadState *state)
{
    (void)state;
}

void
refquake_clear_free_lists(PyThreadState *state)
{
    (void)state;
}

void
refquake_stop_world(PyThreadState *state)
{
    (void)state;
}

void
refquake_start_world(PyThreadState *state)
{
    (void)state;
}
#endif
