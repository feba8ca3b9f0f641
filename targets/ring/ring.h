/* ring: a growable C array shared between threads, its iterator, and a tuple-like snapshot.

       r = Ring()
       r.push(x); r.pop(); r.rotate(); r.clear(); len(r); r[0]; r[0] = x; x in r
       r.find(x)             # the first item equal to x, or None
       r.extend(sequence)    # a Ring or any sequence
       r.swap(other)         # exchanges the contents of two Rings
       r.replace(x)          # the last item; optimistic: retries if another thread was faster
       r.couple(other)       # makes the two each other's `partner`, counts in `couplings`
       iter(r); r.map(function)  # -> RingIter; Snapshot of function(item)

   Each Ring's fields are guarded by its critical section; `version` counts the changes. Partners have
   a mutex of their own, `couple_lock`: two of them are taken in the order of their addresses. */
#ifndef RING_H
#define RING_H

#include <Python.h>

#include <stddef.h>
#include <stdint.h>

#include "plant.h"

#define MAX_SIZE 1000           /* of a Ring */

typedef struct {
    PyObject_HEAD
    PyObject **items;           /* `size` owned references, room for `capacity` */
    Py_ssize_t size;
    Py_ssize_t capacity;
    uint64_t version;
    PyObject *partner;
    Py_ssize_t couplings;
    PyMutex couple_lock;
} Ring;

typedef struct {
    PyObject_HEAD
    PyObject *ring;             /* NULL once exhausted */
    Py_ssize_t next;
} RingIter;

typedef struct {
    PyObject_VAR_HEAD
    PyObject *items[1];
} Snapshot;

typedef struct {
    PyTypeObject *ring;
    PyTypeObject *iter;
    PyTypeObject *snapshot;
} State;

/* What every type here has. */
#define RING_TYPE_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE)

extern PyType_Spec ring_spec, ring_iter_spec, ring_snapshot_spec;

/* The state of the module that `self`, a Ring, comes from; NULL with an exception once it is cleared. */
State *ring_state_of(PyObject *self);

/* A new reference, or NULL without an exception; the first expects the caller to hold the lock. */
PyObject *ring_item_lock_held(Ring *self, Py_ssize_t index);
PyObject *ring_item_at(PyObject *op, Py_ssize_t index);

/* Passes the item on; sets IndexError if it is NULL. */
PyObject *ring_item_or_error(PyObject *item);

Py_ssize_t ring_length(PyObject *op);

/* iter(ring), Ring.map(function). */
PyObject *ring_iter(PyObject *op);
PyObject *ring_map(PyObject *op, PyObject *function);

#endif
