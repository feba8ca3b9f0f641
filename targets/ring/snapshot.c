/* The type Snapshot, what Ring.map() returns: see ring.h. */
#include "ring.h"

/* Holds uninitialised memory until it is filled, so it is tracked last: the function may collect. */
PyObject *
ring_map(PyObject *op, PyObject *function)
{
    State *state = ring_state_of(op);
    Py_ssize_t size = ring_length(op);
    Snapshot *self = state != NULL ? PyObject_GC_NewVar(Snapshot, state->snapshot, size) : NULL;
    if (self == NULL) {
        return NULL;
    }
    if (PLANT(tracked_too_early)) PyObject_GC_Track(self);  // finds: tracked-too-early, segv, gc-assertion; with: reentry
    Py_ssize_t filled = 0;
    for (; filled < size; filled++) {
        PyObject *item = ring_item_at(op, filled);
        if (item == NULL) {
            break;
        }
        PyObject *result = PyObject_CallOneArg(function, item);
        Py_DECREF(item);
        if (result == NULL) {
            break;
        }
        self->items[filled] = result;
    }
    Py_SET_SIZE(self, filled);
    if (!PLANT(tracked_too_early)) PyObject_GC_Track(self);
    if (PyErr_Occurred()) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int
snapshot_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_VISIT(((Snapshot *)op)->items[i]);
    }
    return 0;
}

static int
snapshot_clear(PyObject *op)
{
    Py_ssize_t size = Py_SIZE(op);
    Py_SET_SIZE((PyVarObject *)op, 0);
    while (size > 0) {
        Py_DECREF(((Snapshot *)op)->items[--size]);
    }
    return 0;
}

static void
snapshot_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, snapshot_dealloc)
    snapshot_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

static Py_ssize_t
snapshot_length(PyObject *op)
{
    return Py_SIZE(op);
}

static PyObject *
snapshot_item(PyObject *op, Py_ssize_t index)
{
    if (index < 0 || index >= Py_SIZE(op)) {
        return ring_item_or_error(NULL);
    }
    return Py_NewRef(((Snapshot *)op)->items[index]);
}

static PyType_Slot snapshot_slots[] = {
    {Py_tp_doc, "What Ring.map() returned for each item."},
    {Py_tp_traverse, snapshot_traverse},
    {Py_tp_clear, snapshot_clear},
    {Py_tp_dealloc, snapshot_dealloc},
    {Py_sq_length, snapshot_length},
    {Py_sq_item, snapshot_item},
    {0, NULL},
};

PyType_Spec ring_snapshot_spec = {
    .name = "ring.Snapshot",
    .basicsize = offsetof(Snapshot, items),
    .itemsize = sizeof(PyObject *),
    .flags = RING_TYPE_FLAGS | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = snapshot_slots,
};
