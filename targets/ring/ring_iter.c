/* The type RingIter, an iterator over a Ring that threads may share: see ring.h. */
#include "ring.h"

PyObject *
ring_iter(PyObject *op)
{
    State *state = ring_state_of(op);
    RingIter *it = state != NULL ? PyObject_GC_New(RingIter, state->iter) : NULL;
    if (it == NULL) {
        return NULL;
    }
    it->ring = Py_NewRef(op);
    it->next = 0;
    if (!PLANT(never_tracked)) PyObject_GC_Track(it);  // finds: never-tracked
    return (PyObject *)it;
}

static int
iter_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((RingIter *)op)->ring);
    return 0;
}

static int
iter_clear(PyObject *op)
{
    Py_CLEAR(((RingIter *)op)->ring);
    return 0;
}

static void
iter_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, iter_dealloc)
    if (!PLANT(iterator_keeps_ring)) iter_clear(op);  // finds: leaked-reference, leaked-instance
    type->tp_free(op);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/* Our own reference keeps the ring alive while we wait for its lock: another thread may exhaust the
   iterator meanwhile. Whoever exhausts it drops the iterator's reference, and only that one. */
static PyObject *
iter_next(PyObject *op)
{
    RingIter *self = (RingIter *)op;
    PyObject *ring, *item, *exhausted = NULL;
    Py_BEGIN_CRITICAL_SECTION(op);
    ring = Py_XNewRef(self->ring);
    Py_END_CRITICAL_SECTION();
    if (ring == NULL) {
        return NULL;
    }
    Py_BEGIN_CRITICAL_SECTION2(op, ring);
    item = ring_item_lock_held((Ring *)ring, self->next);
    if (item != NULL) {
        self->next++;
    }
    else if (self->ring || PLANT_WINDOW(exhausted_twice)) {  // finds: missing-incref, use-after-free, negative-refcount, gc-assertion, segv; with: threads, asan; rare
        PLANT_TRIGGERED(exhausted_twice, self->ring == NULL);
        exhausted = ring;
        self->ring = NULL;
    }
    Py_END_CRITICAL_SECTION2();
    Py_XDECREF(exhausted);
    Py_DECREF(ring);
    return item;
}

static PyType_Slot iter_slots[] = {
    {Py_tp_doc, "An iterator over a Ring."},
    {Py_tp_traverse, iter_traverse},
    {Py_tp_clear, iter_clear},
    {Py_tp_dealloc, iter_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, iter_next},
    {0, NULL},
};

PyType_Spec ring_iter_spec = {
    .name = "ring.RingIter",
    .basicsize = sizeof(RingIter),
    .flags = RING_TYPE_FLAGS | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iter_slots,
};
