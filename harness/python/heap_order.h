/* Heap order: the same free memory, handed out in the same order, whatever ran before.
 *
 *   refquake_stop_world(state);
 *   refquake_clear_free_lists(state);
 *   refquake_order_heap(each thread's state);
 *   refquake_start_world(state);
 *
 * Where an object lies decides what a stepped program does: the collector goes from block to block, a critical section
 * of two objects locks the lower one first, a set of objects hashes by address. mimalloc hands out what was freed
 * last, so that an object's place is the outcome of all programs so far: what a campaign found would not replay in a
 * process of its own. From here on a thread's blocks of one size come from a page in the order of their addresses. Which
 * page is the first, and how many blocks it has left, is history still.
 *
 * Contract: the world is stopped. Nothing is allocated.
 * Without free threading it does nothing: that interpreter's allocator is another one.
 * Source: CPython, Include/internal/mimalloc/mimalloc/types.h (mi_page_t, "free" and "local_free"). */
#ifndef REFQUAKE_PYTHON_HEAP_ORDER_H_
#define REFQUAKE_PYTHON_HEAP_ORDER_H_

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

void refquake_order_heap(PyThreadState *state);

/* Empties CPython's own free lists, of all threads: they too hand out what was freed last, and keep what a program has
 * corrupted for a later one to die of. The world is stopped: a thread that an op started has its own. */
void refquake_clear_free_lists(PyThreadState *state);

/* `state` is the calling thread's, and attached. */
void refquake_stop_world(PyThreadState *state);
void refquake_start_world(PyThreadState *state);

#ifdef __cplusplus
}
#endif

#endif
