/* emitter: callbacks, weak references, a __dict__, and a finalizer that may bring its object back.

       e = Emitter()
       e.subscribe(callback); e.clear()   # one more callback; no callbacks
       e.emit(x)             # calls each callback with x, returns what the last one returned, or x
       e(x)                  # the same: an Emitter can be another's callback
       e.heir = other        # another Emitter: at e's end, it gets e back, as its `saved`
       e.tag(x)              # sets e.label in the __dict__
       e.watch(x); e.watched()   # x by a weak reference, None once it is dead
       e.emitted             # how often it did

   See node.c for the rules about locks. A finalizer runs once in an object's life. */
#include <Python.h>

#include <stddef.h>

#include "plant.h"

#define MAX_CALLBACKS 3         /* a chain of emitters calls exponentially many */

typedef struct {
    PyObject_HEAD
    PyObject *callbacks;        /* list, or NULL; never changed, but replaced by a new one */
    PyObject *heir;             /* Emitter or NULL */
    PyObject *saved;
    PyObject *watched;          /* weak reference or NULL */
    PyMutex count_lock;         /* guards `emitted` */
    Py_ssize_t emitted;
} Emitter;

static struct PyModuleDef emitter_module;

/* --- life and death ------------------------------------------------------------------------- */

/* tp_alloc zeroes the fields, which is how an Emitter starts, and tracks it. */
static PyObject *
emitter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {NULL};
    return PyArg_ParseTupleAndKeywords(args, kwargs, ":Emitter", names) ? type->tp_alloc(type, 0) : NULL;
}

static int
emitter_traverse(PyObject *op, visitproc visit, void *arg)
{
    Emitter *self = (Emitter *)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->callbacks);
    if (!PLANT(heir_not_visited)) Py_VISIT(self->heir);  // finds: missed-visit
    Py_VISIT(self->saved);
    Py_VISIT(self->watched);
    if (PLANT(dict_not_visited)) return 0;  // finds: missed-visit, leaked-instance
    return PyObject_VisitManagedDict(op, visit, arg);
}

static void
drop_fields(PyObject *op)
{
    Emitter *self = (Emitter *)op;
    Py_CLEAR(self->callbacks);
    Py_CLEAR(self->heir);
    Py_CLEAR(self->saved);
    Py_CLEAR(self->watched);
}

static int
emitter_clear(PyObject *op)
{
    drop_fields(op);
    if (!PLANT(dict_not_cleared)) PyObject_ClearManagedDict(op);  // finds: leaked-instance
    return 0;
}

/* Puts a new reference to value, or NULL, into the field. */
static void
set_field(PyObject *op, PyObject **field, PyObject *value)
{
    PyObject *old;
    Py_BEGIN_CRITICAL_SECTION(op);
    old = *field;
    *field = Py_XNewRef(value);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old);
}

static PyObject *
get_field(PyObject *op, PyObject **field)
{
    PyObject *value;
    Py_BEGIN_CRITICAL_SECTION(op);
    value = Py_XNewRef(*field);
    Py_END_CRITICAL_SECTION();
    return value;
}

/* Hands the object to its heir: that is a new reference, so the object lives on. May run while an
   exception is on its way, which must be as it was afterwards. */
static void
emitter_finalize(PyObject *op)
{
    PyObject *exception = PyErr_GetRaisedException();
    PyObject *heir = get_field(op, &((Emitter *)op)->heir);
    if (heir != NULL) {
        set_field(heir, &((Emitter *)heir)->saved, op);
        Py_DECREF(heir);
    }
    if (PLANT(exception_dropped)) Py_CLEAR(exception);  // finds: lost-exception, fatal-error
    PyErr_SetRaisedException(exception);
}

static void
emitter_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    if (PLANT(finalizer_skipped)) PyObject_GC_UnTrack(op);  // finds: finalizer-skipped
    else if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        if (!PLANT(resurrected_anyway)) return;  // finds: lost-exception, weakrefs-left, use-after-free, assertion, segv; with: asan
    }
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, emitter_dealloc)
    if (!PLANT(weak_references_left)) PyObject_ClearWeakRefs(op);  // finds: weakrefs-left
    drop_fields(op);
    if (!PLANT(dict_left)) PyObject_ClearManagedDict(op);  // finds: dict-left
    type->tp_free(op);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/* --- callbacks ------------------------------------------------------------------------------ */

/* A new list: the old ones and one more. */
static PyObject *
extended_lock_held(Emitter *self, PyObject *callback)
{
    Py_ssize_t size = self->callbacks != NULL ? PyList_GET_SIZE(self->callbacks) : 0;
    if (size >= MAX_CALLBACKS) {
        PyErr_Format(PyExc_OverflowError, "an emitter has %d callbacks at most", MAX_CALLBACKS);
        return NULL;
    }
    PyObject *list = size > 0 ? PyList_GetSlice(self->callbacks, 0, size) : PyList_New(0);
    if (list != NULL && PyList_Append(list, callback) < 0) {
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *
emitter_subscribe(PyObject *op, PyObject *callback)
{
    Emitter *self = (Emitter *)op;
    if (!PyCallable_Check(callback)) {
        PyErr_Format(PyExc_TypeError, "%T is not callable", callback);
        return NULL;
    }
    PyObject *list, *old = NULL;
    Py_BEGIN_CRITICAL_SECTION(op);
    list = extended_lock_held(self, callback);
    if (list != NULL) {
        old = self->callbacks;
        self->callbacks = list;
    }
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old);
    return list != NULL ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
emitter_clear_callbacks(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    set_field(op, &((Emitter *)op)->callbacks, NULL);
    Py_RETURN_NONE;
}

/* Calls each callback of the list; returns what the last one returned. */
static PyObject *
call_all(PyObject *callbacks, PyObject *argument)
{
    PyObject *result = Py_NewRef(argument);
    Py_ssize_t size = PyList_GET_SIZE(callbacks);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *callback = PyList_GetItemRef(callbacks, i);
        if (callback == NULL) {
            Py_DECREF(result);
            return NULL;
        }
        if (PLANT_WINDOW(callbacks_borrowed)) Py_DECREF(callback);
        if (!PLANT(result_kept)) Py_DECREF(result);  // finds: leaked-reference, leaked-instance
        result = PyObject_CallOneArg(callback, argument);
        if (PLANT_WINDOW(callbacks_borrowed)) Py_INCREF(callback);
        Py_DECREF(callback);
        if (result == NULL) {
            if (PLANT(failure_ignored)) return Py_NewRef(argument);  // finds: bad-return, fatal-error; with: asan
            return NULL;
        }
    }
    return result;
}

static PyObject *
emitter_emit(PyObject *op, PyObject *argument)
{
    Emitter *self = (Emitter *)op;
    /* An Emitter may be its own callback. */
    if (Py_EnterRecursiveCall(" in Emitter.emit()")) {
        return NULL;
    }
    PyMutex_Lock(&self->count_lock);
    self->emitted++;
    if (!PLANT_WINDOW(calls_with_lock)) PyMutex_Unlock(&self->count_lock);  // finds: deadlock, hang
    PyObject *callbacks = get_field(op, &self->callbacks);
    /* Ours, and so are those in it: a callback may call clear(). */
    if (PLANT_WINDOW(callbacks_borrowed)) Py_XDECREF(callbacks);  // finds: use-after-free, segv, negative-refcount; with: reentry, asan
    PyObject *result = callbacks != NULL ? call_all(callbacks, argument) : Py_NewRef(argument);
    if (!PLANT_WINDOW(callbacks_borrowed)) Py_XDECREF(callbacks);
    if (PLANT_WINDOW(calls_with_lock)) PyMutex_Unlock(&self->count_lock);
    Py_LeaveRecursiveCall();
    return result;
}

static PyObject *
emitter_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    PyObject *argument;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "an emitter takes no keyword arguments");
        return NULL;
    }
    return PyArg_ParseTuple(args, "O:Emitter", &argument) ? emitter_emit(op, argument) : NULL;
}

/* --- attributes ----------------------------------------------------------------------------- */

static PyObject *
get_emitted(PyObject *op, void *Py_UNUSED(closure))
{
    Emitter *self = (Emitter *)op;
    if (PLANT_WINDOW(count_race)) return PyLong_FromSsize_t(self->emitted);  // finds: data-race; with: threads, tsan
    PyMutex_Lock(&self->count_lock);
    Py_ssize_t emitted = self->emitted;
    PyMutex_Unlock(&self->count_lock);
    return PyLong_FromSsize_t(emitted);
}

static PyObject *
get_object(PyObject *op, void *offset)
{
    PyObject *value = get_field(op, (PyObject **)((char *)op + (Py_ssize_t)offset));
    return value != NULL ? value : Py_NewRef(Py_None);
}

static int
set_heir(PyObject *op, PyObject *value, void *Py_UNUSED(closure))
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(op), &emitter_module);
    PyTypeObject **type = module != NULL ? PyModule_GetState(module) : NULL;
    if (type == NULL) {
        return -1;
    }
    if (value == Py_None) {
        value = NULL;
    }
    if (value != NULL && (*type == NULL || !PyObject_TypeCheck(value, *type))) {
        PyErr_Format(PyExc_TypeError, "an heir is an Emitter or None, not %T", value);
        return -1;
    }
    PyObject **heir = &((Emitter *)op)->heir;
    if (PLANT_WINDOW(heir_race)) { Py_XSETREF(*heir, Py_XNewRef(value)); return 0; }  // finds: data-race; with: threads, tsan
    set_field(op, heir, value);
    return 0;
}

static PyObject *
emitter_tag(PyObject *op, PyObject *value)
{
    return PyObject_SetAttrString(op, "label", value) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
emitter_watch(PyObject *op, PyObject *value)
{
    PyObject *reference = PyWeakref_NewRef(value, NULL);
    if (reference == NULL) {
        return NULL;
    }
    set_field(op, &((Emitter *)op)->watched, reference);
    Py_DECREF(reference);
    Py_RETURN_NONE;
}

static PyObject *
emitter_watched(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    PyObject *value = NULL, *reference = get_field(op, &((Emitter *)op)->watched);
    int result = reference != NULL ? PyWeakref_GetRef(reference, &value) : 0;
    Py_XDECREF(reference);
    if (result < 0) {
        return NULL;
    }
    if (PLANT(dead_not_checked)) return Py_NewRef(value);  // finds: segv
    return value != NULL ? value : Py_NewRef(Py_None);
}

/* --- the type and the module ---------------------------------------------------------------- */

static PyMethodDef emitter_methods[] = {
    {"subscribe", emitter_subscribe, METH_O, "Add a callback."},
    {"clear", emitter_clear_callbacks, METH_NOARGS, "Remove all callbacks."},
    {"emit", emitter_emit, METH_O, "Call each callback with the argument."},
    {"tag", emitter_tag, METH_O, "Set the attribute label."},
    {"watch", emitter_watch, METH_O, "Refer weakly to an object."},
    {"watched", emitter_watched, METH_NOARGS, "Return the watched object, or None."},
    {NULL},
};

static PyGetSetDef emitter_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict},
    {"emitted", get_emitted, NULL, "how often emit() was called"},
    {"heir", get_object, set_heir, "an Emitter, or None", (void *)offsetof(Emitter, heir)},
    {"saved", get_object, NULL, "the Emitter last inherited, or None", (void *)offsetof(Emitter, saved)},
    {NULL},
};

static PyType_Slot emitter_slots[] = {
    {Py_tp_doc, "Calls its callbacks."},
    {Py_tp_new, emitter_new},
    {Py_tp_traverse, emitter_traverse},
    {Py_tp_clear, emitter_clear},
    {Py_tp_finalize, emitter_finalize},
    {Py_tp_dealloc, emitter_dealloc},
    {Py_tp_call, emitter_call},
    {Py_tp_methods, emitter_methods},
    {Py_tp_getset, emitter_getset},
    {0, NULL},
};

static PyType_Spec emitter_spec = {
    .name = "emitter.Emitter",
    .basicsize = sizeof(Emitter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_MANAGED_DICT |
             Py_TPFLAGS_MANAGED_WEAKREF,
    .slots = emitter_slots,
};

/* The module's state is a reference to the type. */
static int
emitter_exec(PyObject *module)
{
    PyTypeObject **type = PyModule_GetState(module);
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &emitter_spec, NULL);
    return *type != NULL ? PyModule_AddType(module, *type) : -1;
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    Py_VISIT(*(PyTypeObject **)PyModule_GetState(module));
    return 0;
}

static int
module_clear(PyObject *module)
{
    Py_CLEAR(*(PyTypeObject **)PyModule_GetState(module));
    return 0;
}

static void
module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, emitter_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef emitter_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "emitter",
    .m_doc = "Callbacks, weak references, finalizers.",
    .m_size = sizeof(PyTypeObject *),
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC
PyInit_emitter(void)
{
    return PyModuleDef_Init(&emitter_module);
}
