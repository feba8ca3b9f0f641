/* The type Ring: see ring.h. */
#include "ring.h"

/* --- the array; the caller holds the lock --------------------------------------------------- */

static int
reserve_lock_held(Ring *self, Py_ssize_t size)
{
    if (size <= self->capacity) {
        return 0;
    }
    if (size > MAX_SIZE) {
        PyErr_Format(PyExc_OverflowError, "a ring holds %d items at most", MAX_SIZE);
        return -1;
    }
    Py_ssize_t capacity = size < 4 ? 4 : size + size / 2;
    /* Not PyMem_Resize: that sets its argument to NULL when it fails, and the items would be gone. */
    PyObject **items = PyMem_Realloc(self->items, (size_t)capacity * sizeof(PyObject *));
    if (items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->items = items;
    self->capacity = capacity;
    return 0;
}

static int
push_lock_held(Ring *self, PyObject *item)
{
    if (reserve_lock_held(self, self->size + 1) < 0) {
        return -1;
    }
    self->items[self->size++] = Py_NewRef(item);
    self->version++;
    return 0;
}

static void
swap_lock_held(Ring *a, Ring *b)
{
    PyObject **items = a->items;
    Py_ssize_t size = a->size, capacity = a->capacity;
    a->items = b->items;
    a->size = b->size;
    a->capacity = b->capacity;
    b->items = items;
    b->size = size;
    b->capacity = capacity;
    a->version++;
    b->version++;
}

PyObject *
ring_item_lock_held(Ring *self, Py_ssize_t index)
{
    return index >= 0 && index < self->size ? Py_NewRef(self->items[index]) : NULL;
}

PyObject *
ring_item_at(PyObject *op, Py_ssize_t index)
{
    PyObject *item;
    Py_BEGIN_CRITICAL_SECTION(op);
    item = ring_item_lock_held((Ring *)op, index);
    Py_END_CRITICAL_SECTION();
    return item;
}

Py_ssize_t
ring_length(PyObject *op)
{
    Py_ssize_t size;
    Py_BEGIN_CRITICAL_SECTION(op);
    size = ((Ring *)op)->size;
    Py_END_CRITICAL_SECTION();
    return size;
}

PyObject *
ring_item_or_error(PyObject *item)
{
    if (item == NULL) {
        PyErr_SetString(PyExc_IndexError, "ring index out of range");
    }
    return item;
}

/* --- life and death of a Ring --------------------------------------------------------------- */

/* tp_alloc zeroes the fields, which is how a Ring starts, and tracks it. */
static PyObject *
ring_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {NULL};
    return PyArg_ParseTupleAndKeywords(args, kwargs, ":Ring", names) ? type->tp_alloc(type, 0) : NULL;
}

static int
ring_traverse(PyObject *op, visitproc visit, void *arg)
{
    Ring *self = (Ring *)op;
    Py_VISIT(Py_TYPE(op));
    if (!PLANT(partner_not_visited)) Py_VISIT(self->partner);  // finds: missed-visit
    Py_ssize_t size = self->size - (PLANT(last_not_visited) && self->size > 4);  // finds: missed-visit
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

/* Takes the array away before it drops what is in it: a destructor sees an empty ring. */
static void
drop_items(Ring *self)
{
    PyObject **items = self->items;
    Py_ssize_t size = self->size;
    self->items = NULL;
    self->size = self->capacity = 0;
    self->version++;
    while (size > 0) {
        Py_DECREF(items[--size]);
    }
    PyMem_Free(items);
}

static int
ring_tp_clear(PyObject *op)
{
    Py_CLEAR(((Ring *)op)->partner);
    drop_items((Ring *)op);
    return 0;
}

static void
ring_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, ring_dealloc)
    PyObject_ClearWeakRefs(op);
    ring_tp_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/* --- methods of a Ring ---------------------------------------------------------------------- */

static PyObject *
ring_push(PyObject *op, PyObject *item)
{
    int result;
    Py_BEGIN_CRITICAL_SECTION(op);
    result = push_lock_held((Ring *)op, item);
    Py_END_CRITICAL_SECTION();
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
ring_pop(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Ring *self = (Ring *)op;
    PyObject *item = NULL;
    Py_BEGIN_CRITICAL_SECTION(op);
    if (self->size > 0) {
        item = self->items[--self->size];
        self->version++;
    }
    Py_END_CRITICAL_SECTION();
    if (item == NULL) {
        PyErr_SetString(PyExc_IndexError, "pop from an empty ring");
    }
    return item;
}

static PyObject *
rotate_lock_held(Ring *self)
{
    if (self->size > 1) {
        PyObject *first = self->items[0];
        for (Py_ssize_t i = 1; i < self->size; i++) {
            self->items[i - 1] = self->items[i];
        }
        self->items[self->size - 1] = first;
        self->version++;
    }
    Py_RETURN_NONE;
}

static PyObject *
ring_rotate(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    PyObject *result;
    if (PLANT_WINDOW(rotate_race)) return rotate_lock_held((Ring *)op);  // finds: data-race; with: threads, tsan
    Py_BEGIN_CRITICAL_SECTION(op);
    result = rotate_lock_held((Ring *)op);
    Py_END_CRITICAL_SECTION();
    return result;
}

/* What the plant drops_in_place does before it takes the array away: a destructor finds what is gone. */
static void
drop_items_in_place(Ring *self)
{
    for (Py_ssize_t i = 0; i < self->size; i++) {
        Py_DECREF(self->items[i]);
    }
    self->size = 0;
}

static PyObject *
ring_clear(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Ring taken = {0};
    Py_BEGIN_CRITICAL_SECTION(op);
    if (PLANT_WINDOW(drops_in_place)) drop_items_in_place((Ring *)op);  // finds: still-tracked-at-free, use-after-free, gc-assertion, segv; with: reentry, asan
    swap_lock_held((Ring *)op, &taken);
    Py_END_CRITICAL_SECTION();
    drop_items(&taken);
    Py_RETURN_NONE;
}

static PyObject *
ring_find(PyObject *op, PyObject *value)
{
    PyObject *item;
    for (Py_ssize_t i = 0; (item = ring_item_at(op, i)) != NULL; i++) {
        /* __eq__ may run any code: without a reference of our own the item may be gone after it. */
        if (PLANT_WINDOW(find_borrows)) Py_DECREF(item);  // finds: use-after-free, negative-refcount, segv; with: reentry, asan
        int equal = PyObject_RichCompareBool(item, value, Py_EQ);
        PLANT_TRIGGERED(find_borrows, i >= ((Ring *)op)->size || ((Ring *)op)->items[i] != item);
        if (PLANT_WINDOW(find_borrows)) Py_INCREF(item);
        if (equal > 0) {
            return item;
        }
        Py_DECREF(item);
        if (equal < 0) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

static PyObject *
ring_extend(PyObject *op, PyObject *sequence)
{
    Py_ssize_t count = PySequence_Size(sequence);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        if (item == NULL) {
            return NULL;
        }
        PyObject *result = ring_push(op, item);
        if (!PLANT(extend_leaks)) Py_DECREF(item);  // finds: leaked-reference, leaked-instance
        if (result == NULL) {
            return NULL;
        }
        Py_DECREF(result);
    }
    return count < 0 ? NULL : Py_NewRef(Py_None);
}

static int
check_ring(PyObject *op, PyObject *other)
{
    State *state = ring_state_of(op);
    if (state != NULL && PyObject_TypeCheck(other, state->ring)) {
        return 0;
    }
    if (state != NULL) {
        PyErr_Format(PyExc_TypeError, "expected a Ring, not %T", other);
    }
    return -1;
}

static PyObject *
ring_swap(PyObject *op, PyObject *other)
{
    if (check_ring(op, other) < 0) {
        return NULL;
    }
    PyObject *second = PLANT_WINDOW(swap_locks_one) ? op : other;  // finds: data-race; with: threads, tsan
    Py_BEGIN_CRITICAL_SECTION2(op, second);
    swap_lock_held((Ring *)op, (Ring *)other);
    Py_END_CRITICAL_SECTION2();
    Py_RETURN_NONE;
}

/* The version, and nothing weaker, tells: of the size alone, a pop and a push in between go unseen. */
static int
is_unchanged(Ring *self, Py_ssize_t size, uint64_t version)
{
    PLANT_TRIGGERED(only_size_checked, self->size == size && self->version != version);
    if (PLANT_WINDOW(only_size_checked)) return self->size == size;  // finds: missing-incref, leaked-reference, use-after-free, negative-refcount, gc-assertion, segv; with: threads, asan; rare
    return self->version == version;
}

/* Looks, unlocks, then changes only what is still as it was: else `old` is not ours to drop. */
static PyObject *
ring_replace(PyObject *op, PyObject *item)
{
    Ring *self = (Ring *)op;
    for (;;) {
        Py_ssize_t size;
        uint64_t version;
        PyObject *old;
        int unchanged;
        Py_BEGIN_CRITICAL_SECTION(op);
        size = self->size;
        version = self->version;
        old = size > 0 ? self->items[size - 1] : NULL;
        Py_END_CRITICAL_SECTION();
        if (old == NULL) {
            Py_RETURN_NONE;
        }
        Py_BEGIN_CRITICAL_SECTION(op);
        unchanged = is_unchanged(self, size, version);
        if (unchanged) {
            self->items[size - 1] = Py_NewRef(item);
            self->version++;
        }
        Py_END_CRITICAL_SECTION();
        if (unchanged) {
            Py_DECREF(old);
            Py_RETURN_NONE;
        }
    }
}

/* Returns the reference that was there. */
static PyObject *
exchange_partner(Ring *self, PyObject *partner)
{
    PyObject *old = self->partner;
    self->partner = Py_NewRef(partner);
    return old;
}

static PyObject *
ring_couple(PyObject *op, PyObject *other)
{
    if (check_ring(op, other) < 0) {
        return NULL;
    }
    Ring *a = (Ring *)op, *b = (Ring *)other;
    PyObject *old_a, *old_b = NULL;
    Ring *first, *second;
    int in_order = PLANT_WINDOW(lock_order) || (uintptr_t)a < (uintptr_t)b;  // finds: deadlock, hang; with: threads; rare
    first = in_order ? a : b;
    second = in_order ? b : a;
    PyMutex_Lock(&first->couple_lock);
    first->couplings++;
    if (a != b) {
        PyMutex_Lock(&second->couple_lock);
        second->couplings++;
    }
    old_a = exchange_partner(a, other);
    if (a != b) {
        old_b = exchange_partner(b, op);
        PyMutex_Unlock(&b->couple_lock);
    }
    PyMutex_Unlock(&a->couple_lock);
    Py_XDECREF(old_a);
    Py_XDECREF(old_b);
    Py_RETURN_NONE;
}

static PyObject *
get_partner(PyObject *op, void *Py_UNUSED(closure))
{
    Ring *self = (Ring *)op;
    PyMutex_Lock(&self->couple_lock);
    PyObject *partner = Py_XNewRef(self->partner);
    PyMutex_Unlock(&self->couple_lock);
    return partner != NULL ? partner : Py_NewRef(Py_None);
}

static PyObject *
get_couplings(PyObject *op, void *Py_UNUSED(closure))
{
    Ring *self = (Ring *)op;
    PyMutex_Lock(&self->couple_lock);
    Py_ssize_t couplings = self->couplings;
    PyMutex_Unlock(&self->couple_lock);
    return PyLong_FromSsize_t(couplings);
}

/* --- a Ring as a sequence ------------------------------------------------------------------- */

/* The plant's bug: the check and the access are each locked, but a resize fits in between. */
static PyObject *
checked_too_early(PyObject *op, Py_ssize_t index)
{
    PyObject *item;
    if (index < 0 || index >= ring_length(op)) {
        return ring_item_or_error(NULL);
    }
    Py_BEGIN_CRITICAL_SECTION(op);
    PLANT_TRIGGERED(check_then_access, index >= ((Ring *)op)->size);
    item = Py_NewRef(((Ring *)op)->items[index]);
    Py_END_CRITICAL_SECTION();
    return item;
}

static PyObject *
ring_item(PyObject *op, Py_ssize_t index)
{
    if (PLANT_WINDOW(check_then_access)) return checked_too_early(op, index);  // finds: use-after-free, segv; with: threads, asan; rare
    return ring_item_or_error(ring_item_at(op, index));
}

static int
ring_assign_item(PyObject *op, Py_ssize_t index, PyObject *item)
{
    Ring *self = (Ring *)op;
    PyObject *old = NULL;
    if (item == NULL) {
        PyErr_SetString(PyExc_TypeError, "a ring's items cannot be deleted");
        return -1;
    }
    Py_BEGIN_CRITICAL_SECTION(op);
    if (index >= 0 && index < self->size) {
        old = self->items[index];
        self->items[index] = Py_NewRef(item);
        self->version++;
    }
    Py_END_CRITICAL_SECTION();
    if (old == NULL) {
        PyErr_SetString(PyExc_IndexError, "ring index out of range");
        return -1;
    }
    if (!PLANT(old_item_kept)) Py_DECREF(old);  // finds: leaked-reference, leaked-instance
    return 0;
}

static int
ring_contains(PyObject *op, PyObject *value)
{
    PyObject *item;
    int equal = 0;
    for (Py_ssize_t i = 0; equal == 0 && (item = ring_item_at(op, i)) != NULL; i++) {
        equal = PyObject_RichCompareBool(item, value, Py_EQ);
        Py_DECREF(item);
    }
    return equal;
}

/* --- the type ------------------------------------------------------------------------------- */

static PyMethodDef ring_methods[] = {
    {"push", ring_push, METH_O, "Add an item at the end."},
    {"pop", ring_pop, METH_NOARGS, "Remove and return the last item."},
    {"rotate", ring_rotate, METH_NOARGS, "Move the first item to the end."},
    {"clear", ring_clear, METH_NOARGS, "Remove all items."},
    {"find", ring_find, METH_O, "Return the first item equal to the argument, or None."},
    {"extend", ring_extend, METH_O, "Push the items of a sequence."},
    {"swap", ring_swap, METH_O, "Exchange the items with another ring's."},
    {"replace", ring_replace, METH_O, "Replace the last item, if there is one."},
    {"couple", ring_couple, METH_O, "Make two rings each other's partner."},
    {"map", ring_map, METH_O, "Return a Snapshot of function(item)."},
    {NULL},
};

static PyGetSetDef ring_getset[] = {
    {"couplings", get_couplings, NULL, "how often it was coupled"},
    {"partner", get_partner, NULL, "the ring this one was coupled with last, or None"},
    {NULL},
};

static PyType_Slot ring_slots[] = {
    {Py_tp_doc, "A growable array."},
    {Py_tp_new, ring_new},
    {Py_tp_traverse, ring_traverse},
    {Py_tp_clear, ring_tp_clear},
    {Py_tp_dealloc, ring_dealloc},
    {Py_tp_methods, ring_methods},
    {Py_tp_getset, ring_getset},
    {Py_tp_iter, ring_iter},
    {Py_sq_length, ring_length},
    {Py_sq_item, ring_item},
    {Py_sq_ass_item, ring_assign_item},
    {Py_sq_contains, ring_contains},
    {0, NULL},
};

PyType_Spec ring_spec = {
    .name = "ring.Ring",
    .basicsize = sizeof(Ring),
    .flags = RING_TYPE_FLAGS | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_MANAGED_WEAKREF,
    .slots = ring_slots,
};
