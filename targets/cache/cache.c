/* cache: borrowed and stolen references of the C API's dicts and lists, caches filled when first
   asked for, and a module's state.

       c = Cache()
       c.put(key, value); c.get(key); c.last(); c.replace_last(key); c.pair(key); c.clear()
       len(c); key in c
       c.keys()              # a tuple, made when first asked for and kept until the next put()
       c.visit(function)     # calls function(key) for each key, returns the last key
       names()               # a tuple kept in the module's state; forget() drops it

   `table` and `order` are locked by themselves, so a single operation on one needs no lock; what takes
   two operations holds the Cache's critical section, as does every access to `view`. */
#include <Python.h>

#include <stdint.h>

#include "plant.h"

#define MAX_KEYS 1024

typedef struct {
    PyObject_HEAD
    PyObject *table;            /* dict; set by new, dropped by clear */
    PyObject *order;            /* list of the keys in the order of their first put() */
    PyObject *view;             /* tuple of the keys, or NULL */
    uint64_t changes;           /* of the order */
} Cache;

typedef struct {
    PyTypeObject *type;
    PyObject *names;            /* tuple, or NULL; guarded by the mutex */
    PyMutex mutex;
} State;

/* --- life and death ------------------------------------------------------------------------- */

static PyObject *
cache_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":Cache", names)) {
        return NULL;
    }
    Cache *self = (Cache *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->table = PyDict_New();
    self->order = PyList_New(0);
    if (self->table == NULL || self->order == NULL) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int
cache_traverse(PyObject *op, visitproc visit, void *arg)
{
    Cache *self = (Cache *)op;
    Py_VISIT(Py_TYPE(op));
    if (!PLANT(table_not_visited)) Py_VISIT(self->table);  // finds: leaked-instance
    Py_VISIT(self->order);
    if (!PLANT(view_not_visited)) Py_VISIT(self->view);  // finds: leaked-instance
    return 0;
}

static int
cache_clear(PyObject *op)
{
    Cache *self = (Cache *)op;
    Py_CLEAR(self->table);
    Py_CLEAR(self->order);
    Py_CLEAR(self->view);
    return 0;
}

static void
cache_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, cache_dealloc)
    cache_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/* A destructor may still call a Cache that the collector has cleared. */
static int
check_alive(Cache *self)
{
    if (self->table == NULL || self->order == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the cache is gone");
        return -1;
    }
    return 0;
}

/* --- the table: a dict, whose items are borrowed -------------------------------------------- */

/* What the plant get_borrows does: between the two lines another thread may drop the item. */
static int
get_borrowed(PyObject *table, PyObject *key, PyObject **value)
{
    *value = PyDict_GetItemWithError(table, key);
    Py_XINCREF(*value);
    return *value != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

static PyObject *
cache_get(PyObject *op, PyObject *key)
{
    Cache *self = (Cache *)op;
    PyObject *value;
    if (check_alive(self) < 0) {
        return NULL;
    }
    int found = (PLANT_WINDOW(get_borrows) ? get_borrowed : PyDict_GetItemRef)(self->table, key, &value);  // finds: use-after-free, lost-exception, segv; with: threads, asan; rare
    if (found == 0) {
        if (!PLANT(missing_key_silent)) PyErr_SetObject(PyExc_KeyError, key);  // finds: bad-return, fatal-error
    }
    return value;
}

static int
cache_contains(PyObject *op, PyObject *key)
{
    if (check_alive((Cache *)op) < 0) {
        return -1;
    }
    int found = PyDict_Contains(((Cache *)op)->table, key);
    if (PLANT(error_ignored)) return found > 0;  // finds: bad-return, fatal-error
    return found;
}

static Py_ssize_t
cache_length(PyObject *op)
{
    return check_alive((Cache *)op) < 0 ? -1 : PyDict_Size(((Cache *)op)->table);
}

/* Adds a key that is not there yet: 1 if it did. */
static int
add_key(Cache *self, PyObject *key)
{
    int found = PyDict_Contains(self->table, key);
    if (found != 0) {
        return found < 0 ? -1 : 0;
    }
    if (PyList_GET_SIZE(self->order) >= MAX_KEYS) {
        PyErr_Format(PyExc_OverflowError, "a cache holds %d keys at most", MAX_KEYS);
        return -1;
    }
    return PyList_Append(self->order, key) < 0 ? -1 : 1;
}

/* The order has changed: returns the reference that the caller must drop. */
static PyObject *
take_view_lock_held(Cache *self)
{
    PyObject *view = self->view;
    self->view = NULL;
    self->changes++;
    return view;
}

/* PyDict_SetItem takes references of its own. */
static int
put_lock_held(Cache *self, PyObject *key, PyObject *value, PyObject **old_view)
{
    if (add_key(self, key) < 0) {
        return -1;
    }
    *old_view = take_view_lock_held(self);
    if (PLANT(value_increfed)) Py_INCREF(value);  // finds: leaked-reference, leaked-instance
    return PyDict_SetItem(self->table, key, value);
}

static PyObject *
cache_put(PyObject *op, PyObject *args)
{
    PyObject *key, *value, *old_view = NULL;
    if (!PyArg_ParseTuple(args, "OO:put", &key, &value) || check_alive((Cache *)op) < 0) {
        return NULL;
    }
    if (PyObject_Hash(key) == -1) {
        if (PLANT(error_path_leaks)) Py_INCREF(value);  // finds: leaked-reference, leaked-instance
        return NULL;
    }
    int result;
    Py_BEGIN_CRITICAL_SECTION(op);
    result = put_lock_held((Cache *)op, key, value, &old_view);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old_view);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

/* --- the order: a list, which steals what is set -------------------------------------------- */

static PyObject *
cache_last(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Cache *self = (Cache *)op;
    if (check_alive(self) < 0) {
        return NULL;
    }
    PyObject *last;
    Py_BEGIN_CRITICAL_SECTION(op);
    Py_ssize_t size = PyList_GET_SIZE(self->order);
    last = size > 0 ? PyList_GetItemRef(self->order, size - 1) : Py_NewRef(Py_None);
    Py_END_CRITICAL_SECTION();
    return last;
}

/* Puts another key in the last one's place in the order (not in the table). */
static PyObject *
cache_replace_last(PyObject *op, PyObject *key)
{
    Cache *self = (Cache *)op;
    if (check_alive(self) < 0) {
        return NULL;
    }
    int result = 0;
    PyObject *old_view = NULL;
    Py_BEGIN_CRITICAL_SECTION(op);
    Py_ssize_t size = PyList_GET_SIZE(self->order);
    if (size > 0) {
        old_view = take_view_lock_held(self);
        if (!PLANT(stolen_not_owned)) Py_INCREF(key);  // finds: missing-incref, use-after-free, negative-refcount, gc-assertion, assertion, segv; with: asan
        result = PyList_SetItem(self->order, size - 1, key);
    }
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old_view);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
cache_remove_all(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Cache *self = (Cache *)op;
    if (check_alive(self) < 0) {
        return NULL;
    }
    int result;
    PyObject *old_view;
    Py_BEGIN_CRITICAL_SECTION(op);
    old_view = take_view_lock_held(self);
    PyDict_Clear(self->table);
    result = PyList_SetSlice(self->order, 0, PyList_GET_SIZE(self->order), NULL);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old_view);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

/* A key is borrowed from the list unless we hold a reference while the function runs. */
static PyObject *
cache_visit(PyObject *op, PyObject *function)
{
    Cache *self = (Cache *)op;
    PyObject *last = Py_NewRef(Py_None);
    for (Py_ssize_t i = 0; self->order != NULL && i < PyList_GET_SIZE(self->order); i++) {
        PyObject *key = PyList_GetItemRef(self->order, i);
        if (key == NULL) {
            PyErr_Clear();      /* the list has shrunk */
            break;
        }
        if (PLANT_WINDOW(visit_borrows)) Py_DECREF(key);  // finds: use-after-free, negative-refcount, assertion, segv; with: reentry, asan
        PyObject *result = PyObject_CallOneArg(function, key);
        if (PLANT_WINDOW(visit_borrows)) Py_INCREF(key);
        Py_SETREF(last, key);
        if (result == NULL) {
            Py_DECREF(last);
            return NULL;
        }
        Py_DECREF(result);
    }
    return last;
}

/* --- what is made when first asked for ------------------------------------------------------ */

/* The tuple is made without the lock: it is kept only if nothing has changed meanwhile, and if no other
   thread was faster. */
static PyObject *
cache_keys(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Cache *self = (Cache *)op;
    PyObject *view, *fresh;
    uint64_t changes;
    if (check_alive(self) < 0) {
        return NULL;
    }
    Py_BEGIN_CRITICAL_SECTION(op);
    view = Py_XNewRef(self->view);
    changes = self->changes;
    Py_END_CRITICAL_SECTION();
    if (view != NULL || (fresh = PyList_AsTuple(self->order)) == NULL) {
        return view;
    }
    Py_BEGIN_CRITICAL_SECTION(op);
    if (self->changes == changes && (self->view == NULL || PLANT_WINDOW(filled_twice))) {  // finds: leaked-instance; with: threads; rare
        PLANT_TRIGGERED(filled_twice, self->view != NULL);
        self->view = Py_NewRef(fresh);
    }
    Py_END_CRITICAL_SECTION();
    return fresh;
}

/* A new pair (key, value of that key or None), by way of temporaries. */
static PyObject *
cache_pair(PyObject *op, PyObject *key)
{
    PyObject *value;
    if (check_alive((Cache *)op) < 0 || PyDict_GetItemRef(((Cache *)op)->table, key, &value) < 0) {
        return NULL;
    }
    PyObject *list = PyList_New(0);
    PyObject *pair = NULL;
    if (list != NULL && PyList_Append(list, key) == 0 && PyList_Append(list, value ? value : Py_None) == 0) {
        pair = PyList_AsTuple(list);
    }
    Py_XDECREF(value);
    if (!PLANT(temporary_kept)) Py_XDECREF(list);  // finds: leaked-instance
    return pair;
}

static PyObject *
names_lock_held(State *state)
{
    if (state->names == NULL) {
        state->names = Py_BuildValue("(ss)", "Cache", "names");
    }
    return Py_XNewRef(state->names);
}

static PyObject *
cache_names(PyObject *module, PyObject *Py_UNUSED(ignored))
{
    State *state = PyModule_GetState(module);
    if (PLANT_WINDOW(names_race)) return names_lock_held(state);  // finds: data-race; with: threads, tsan
    PyMutex_Lock(&state->mutex);
    PyObject *names = names_lock_held(state);
    PyMutex_Unlock(&state->mutex);
    return names;
}

static PyObject *
cache_forget(PyObject *module, PyObject *Py_UNUSED(ignored))
{
    State *state = PyModule_GetState(module);
    PyMutex_Lock(&state->mutex);
    PyObject *names = state->names;
    state->names = NULL;
    PyMutex_Unlock(&state->mutex);
    Py_XDECREF(names);
    Py_RETURN_NONE;
}

/* --- the type and the module ---------------------------------------------------------------- */

static PyMethodDef cache_methods[] = {
    {"put", cache_put, METH_VARARGS, "Keep a value under a key."},
    {"get", cache_get, METH_O, "Return the value of a key."},
    {"last", cache_last, METH_NOARGS, "Return the last key, or None."},
    {"replace_last", cache_replace_last, METH_O, "Put another key in the last one's place."},
    {"clear", cache_remove_all, METH_NOARGS, "Remove all keys."},
    {"visit", cache_visit, METH_O, "Call a function with each key; return the last key."},
    {"keys", cache_keys, METH_NOARGS, "Return a tuple of the keys."},
    {"pair", cache_pair, METH_O, "Return a pair of the key and its value or None."},
    {NULL},
};

static PyType_Slot cache_slots[] = {
    {Py_tp_doc, "Values under keys."},
    {Py_tp_new, cache_new},
    {Py_tp_traverse, cache_traverse},
    {Py_tp_clear, cache_clear},
    {Py_tp_dealloc, cache_dealloc},
    {Py_tp_methods, cache_methods},
    {Py_sq_length, cache_length},
    {Py_sq_contains, cache_contains},
    {0, NULL},
};

static PyType_Spec cache_spec = {
    .name = "cache.Cache",
    .basicsize = sizeof(Cache),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = cache_slots,
};

static int
cache_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    state->type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &cache_spec, NULL);
    return state->type != NULL ? PyModule_AddType(module, state->type) : -1;
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    if (!PLANT(state_not_visited)) Py_VISIT(state->type);  // finds: leaked-type
    Py_VISIT(state->names);
    return 0;
}

static int
module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    if (!PLANT(state_not_cleared)) Py_CLEAR(state->type);  // finds: leaked-type
    Py_CLEAR(state->names);
    return 0;
}

static void
module_free(void *module)
{
    module_clear(module);
}

static PyMethodDef module_methods[] = {
    {"names", cache_names, METH_NOARGS, "Return the module's names."},
    {"forget", cache_forget, METH_NOARGS, "Let names() make its tuple anew."},
    {NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, cache_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef cache_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cache",
    .m_doc = "Borrowed and stolen references, and caches.",
    .m_size = sizeof(State),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC
PyInit_cache(void)
{
    return PyModuleDef_Init(&cache_module);
}
