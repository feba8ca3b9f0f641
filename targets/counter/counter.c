/* counter: arithmetic on reference counts by hand, and code that runs while detached from the
   interpreter (between Py_BEGIN_ALLOW_THREADS and Py_END_ALLOW_THREADS).

       c = Counter(n)        # n: an int, 0 by default
       c.bump(); c.value; int(c); c + d      # a new Counter
       c.spin(); c.add_twice(d)              # waste time while detached; c + d + d
       h = Holder()
       h.hold(x); h.held; h.release(); h.exchange(x)   # exchange returns what was held, or None
       h.work()              # wastes time while detached, returns what was held before
       h.count(c)            # holds a Counter and bumps it; anything else is a TypeError

   Counter is a heap type that owns no objects, so it takes no part in garbage collection. In a
   free-threaded build a count is split in two: Py_INCREF and Py_DECREF know how to change it, nobody
   else does. See node.c for the rules about locks. */
#include <Python.h>

#include <stdint.h>

#include "plant.h"

typedef struct {
    PyObject_HEAD
    long value;
} Counter;

typedef struct {
    PyObject_HEAD
    PyObject *held;             /* NULL reads as None */
} Holder;

typedef struct {
    PyTypeObject *counter;
    PyTypeObject *holder;
} State;

static struct PyModuleDef counter_module;

/* The type Counter of the module that `self` comes from; NULL with an exception once it is gone. */
static PyTypeObject *
counter_type(PyObject *self)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &counter_module);
    State *state = module != NULL ? PyModule_GetState(module) : NULL;
    if (state != NULL && state->counter == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the module counter is gone");
        return NULL;
    }
    return state != NULL ? state->counter : NULL;
}

/* --- what stands in for real work without objects -------------------------------------------- */

static void
waste_time(void)
{
    for (volatile int i = 0; i < 4; i++) {
    }
}

/* --- Counter -------------------------------------------------------------------------------- */

static PyObject *
make_counter(PyTypeObject *type, long value)
{
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL) {
        ((Counter *)self)->value = value;
    }
    return self;
}

static PyObject *
counter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", NULL};
    long value = 0;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "|l:Counter", names, &value) ? make_counter(type, value) : NULL;
}

static void
counter_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    type->tp_free(op);
    if (!PLANT(type_kept)) Py_DECREF(type);  // finds: type-reference-kept
}

static long
get_value(PyObject *op)
{
    long value;
    Py_BEGIN_CRITICAL_SECTION(op);
    value = ((Counter *)op)->value;
    Py_END_CRITICAL_SECTION();
    return value;
}

/* Wraps around: a counter never fails. */
static void
bump_lock_held(PyObject *op)
{
    Counter *self = (Counter *)op;
    self->value = (long)((unsigned long)self->value + 1);
}

static PyObject *
counter_bump(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    if (PLANT_WINDOW(bump_race)) { bump_lock_held(op); Py_RETURN_NONE; }  // finds: data-race; with: threads, tsan
    Py_BEGIN_CRITICAL_SECTION(op);
    bump_lock_held(op);
    Py_END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

/* A critical section does not outlast the detaching, so the value is read before. */
static PyObject *
counter_spin(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    long value = get_value(op);
    Py_BEGIN_ALLOW_THREADS
    waste_time();
    if (PLANT_WINDOW(detached_access)) value = ((Counter *)op)->value;  // finds: data-race; with: threads, tsan
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(value);
}

static PyObject *
counter_value(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(get_value(op));
}

static PyObject *
counter_int(PyObject *op)
{
    return PyLong_FromLong(get_value(op));
}

/* Either operand may be of another type. */
static PyObject *
counter_add(PyObject *left, PyObject *right)
{
    if (!Py_IS_TYPE(left, Py_TYPE(right))) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyTypeObject *type = counter_type(left);
    unsigned long sum = (unsigned long)get_value(left) + (unsigned long)get_value(right);
    return type != NULL ? make_counter(type, (long)sum) : NULL;
}

static PyObject *
counter_add_twice(PyObject *op, PyObject *other)
{
    PyObject *partial = PyNumber_Add(op, other);
    PyObject *total = partial != NULL ? PyNumber_Add(partial, other) : NULL;
    if (!PLANT(partial_sum_kept)) Py_XDECREF(partial);  // finds: leaked-reference, leaked-instance
    return total;
}

/* --- Holder --------------------------------------------------------------------------------- */

/* tp_alloc zeroes the fields, which is how a Holder starts, and tracks it. */
static PyObject *
holder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {NULL};
    return PyArg_ParseTupleAndKeywords(args, kwargs, ":Holder", names) ? type->tp_alloc(type, 0) : NULL;
}

static int
holder_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Holder *)op)->held);
    return 0;
}

static int
holder_clear(PyObject *op)
{
    Py_CLEAR(((Holder *)op)->held);
    return 0;
}

static void
holder_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, holder_dealloc)
    holder_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/* Reads the count, then writes it: what another thread does in between is lost. */
static PyObject *
incref_by_hand(PyObject *value)
{
    Py_SET_REFCNT(value, Py_REFCNT(value) + 1);
    return value;
}

/* The part of the count that only the owning thread may change, if there is one, and never where the
   object is immortal. */
static PyObject *
incref_local_by_hand(PyObject *value)
{
    if (value == NULL || value->ob_tid == 0 || value->ob_ref_local == UINT32_MAX) {
        return Py_XNewRef(value);
    }
    value->ob_ref_local++;
    return value;
}

/* Nobody frees the object whose count becomes zero this way. */
static void
decref_by_hand(PyObject *value)
{
    if (value != NULL) {
        Py_SET_REFCNT(value, Py_REFCNT(value) - 1);
    }
}

/* Takes the reference `value` over; returns the one that was there. */
static PyObject *
exchange(PyObject *op, PyObject *value)
{
    PyObject *old;
    Py_BEGIN_CRITICAL_SECTION(op);
    old = ((Holder *)op)->held;
    ((Holder *)op)->held = value;
    Py_END_CRITICAL_SECTION();
    return old;
}

static PyObject *
none_if_null(PyObject *value)
{
    return value != NULL ? value : Py_NewRef(Py_None);
}

static PyObject *
holder_hold(PyObject *op, PyObject *value)
{
    PyObject *owned = (PLANT_WINDOW(incref_by_hand) ? incref_by_hand : Py_NewRef)(value);  // finds: missing-incref, leaked-reference, use-after-free, negative-refcount, gc-assertion, segv; with: threads, asan; rare
    Py_XDECREF(exchange(op, owned));
    Py_RETURN_NONE;
}

static PyObject *
holder_release(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    (PLANT(decref_by_hand) ? decref_by_hand : Py_DecRef)(exchange(op, NULL));  // finds: leaked-instance
    Py_RETURN_NONE;
}

static PyObject *
holder_exchange(PyObject *op, PyObject *value)
{
    PyObject *old = exchange(op, Py_NewRef(value));
    if (PLANT(detached_decref)) {  // finds: segv, fatal-error
        Py_BEGIN_ALLOW_THREADS
        Py_CLEAR(old);
        Py_END_ALLOW_THREADS
    }
    return none_if_null(old);
}

static PyObject *
holder_held(PyObject *op, void *Py_UNUSED(closure))
{
    PyObject *value;
    Py_BEGIN_CRITICAL_SECTION(op);
    value = (PLANT_WINDOW(local_by_hand) ? incref_local_by_hand : Py_XNewRef)(((Holder *)op)->held);  // finds: data-race; with: threads, tsan
    Py_END_CRITICAL_SECTION();
    return none_if_null(value);
}

/* The lock is lost while detached: only a reference of our own keeps the object. */
static PyObject *
holder_work(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    PyObject *value;
    Py_BEGIN_CRITICAL_SECTION(op);
    value = ((Holder *)op)->held;
    if (!PLANT_WINDOW(borrowed_while_detached)) Py_XINCREF(value);  // finds: use-after-free, negative-refcount, assertion, segv; with: threads, asan; rare
    Py_BEGIN_ALLOW_THREADS
    waste_time();
    Py_END_ALLOW_THREADS
    PLANT_TRIGGERED(borrowed_while_detached, ((Holder *)op)->held != value);
    if (PLANT_WINDOW(borrowed_while_detached)) Py_XINCREF(value);
    Py_END_CRITICAL_SECTION();
    return none_if_null(value);
}

static PyObject *
holder_count(PyObject *op, PyObject *value)
{
    PyTypeObject *type = counter_type(op);
    if (type == NULL) {
        return NULL;
    }
    if (!PyObject_TypeCheck(value, type)) {
        PyErr_Format(PyExc_TypeError, "expected a Counter, not %T", value);
        if (PLANT(argument_dropped)) Py_DECREF(value);  // finds: missing-incref, use-after-free, negative-refcount, gc-assertion, segv; with: asan
        return NULL;
    }
    Py_XDECREF(exchange(op, Py_NewRef(value)));
    return counter_bump(value, NULL);
}

/* --- the types and the module --------------------------------------------------------------- */

static PyMethodDef counter_methods[] = {
    {"bump", counter_bump, METH_NOARGS, "Add one."},
    {"spin", counter_spin, METH_NOARGS, "Waste time while detached; return the value before."},
    {"add_twice", counter_add_twice, METH_O, "Return self + other + other."},
    {NULL},
};

static PyGetSetDef counter_getset[] = {
    {"value", counter_value, NULL, "an int"},
    {NULL},
};

static PyType_Slot counter_slots[] = {
    {Py_tp_doc, "A number that grows."},
    {Py_tp_new, counter_new},
    {Py_tp_dealloc, counter_dealloc},
    {Py_tp_methods, counter_methods},
    {Py_tp_getset, counter_getset},
    {Py_nb_int, counter_int},
    {Py_nb_add, counter_add},
    {0, NULL},
};

static PyType_Spec counter_spec = {
    .name = "counter.Counter",
    .basicsize = sizeof(Counter),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = counter_slots,
};

static PyMethodDef holder_methods[] = {
    {"hold", holder_hold, METH_O, "Hold an object in place of the one before."},
    {"release", holder_release, METH_NOARGS, "Hold nothing."},
    {"exchange", holder_exchange, METH_O, "Hold an object, return the one before."},
    {"work", holder_work, METH_NOARGS, "Waste time while detached; return what is held."},
    {"count", holder_count, METH_O, "Hold a Counter and bump it."},
    {NULL},
};

static PyGetSetDef holder_getset[] = {
    {"held", holder_held, NULL, "what is held, or None"},
    {NULL},
};

static PyType_Slot holder_slots[] = {
    {Py_tp_doc, "Holds one object."},
    {Py_tp_new, holder_new},
    {Py_tp_traverse, holder_traverse},
    {Py_tp_clear, holder_clear},
    {Py_tp_dealloc, holder_dealloc},
    {Py_tp_methods, holder_methods},
    {Py_tp_getset, holder_getset},
    {0, NULL},
};

static PyType_Spec holder_spec = {
    .name = "counter.Holder",
    .basicsize = sizeof(Holder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = holder_slots,
};

static PyTypeObject *
add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type != NULL && PyModule_AddType(module, (PyTypeObject *)type) < 0) {
        Py_CLEAR(type);
    }
    return (PyTypeObject *)type;
}

static int
counter_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    state->counter = add_type(module, &counter_spec);
    state->holder = state->counter != NULL ? add_type(module, &holder_spec) : NULL;
    return state->holder != NULL ? 0 : -1;
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->counter);
    Py_VISIT(state->holder);
    return 0;
}

static int
module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->counter);
    Py_CLEAR(state->holder);
    return 0;
}

static void
module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, counter_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef counter_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "counter",
    .m_doc = "Reference counts by hand, and detached code.",
    .m_size = sizeof(State),
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC
PyInit_counter(void)
{
    return PyModuleDef_Init(&counter_module);
}
