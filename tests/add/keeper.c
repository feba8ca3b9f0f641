/* A module that keeps its objects where no tp_traverse shows them, each way legal but leak(), which forgets one; a type
 * with free memory of its own, one whose instances move, and one with deferred counts. As `registrar` it registers
 * its items: a table in the heap refers to all that live and owns none. */
#include <Python.h>

#define PLACES 8
#define ITEMS 1024

typedef struct {
    PyObject *items[PLACES];
    int next;
} Table;

static Table *table_of_raw;
static Table *table_of_python;
static _Thread_local PyObject *last_of_thread;
static PyMutex mutex;

/* --- the register --------------------------------------------------------------------------- */

static PyObject **registered;

static void
replace_registered(PyObject *old, PyObject *new)
{
#ifdef REGISTERS
    PyMutex_Lock(&mutex);
    int i = 0;
    while (i < ITEMS - 1 && registered[i] != old) {
        ++i;
    }
    registered[i] = new;
    PyMutex_Unlock(&mutex);
#endif
}

/* --- items ---------------------------------------------------------------------------------- */

static PyObject *
item_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL) {
        replace_registered(NULL, self);
    }
    return self;
}

static int
any_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void
item_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    replace_registered(self, NULL);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
keep(PyObject *self, Table *table)
{
    PyMutex_Lock(&mutex);
    PyObject **place = &table->items[table->next++ % PLACES];
    PyObject *old = *place;
    *place = Py_NewRef(self);
    PyMutex_Unlock(&mutex);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static PyObject *
item_keep_by_raw(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return keep(self, table_of_raw);
}

static PyObject *
item_keep_by_python(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return keep(self, table_of_python);
}

static PyObject *
item_keep_by_thread(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    Py_XSETREF(last_of_thread, Py_NewRef(self));
    Py_RETURN_NONE;
}

static PyObject *
item_keep_by_dict(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *dict = PyThreadState_GetDict();
    if (dict != NULL && PyDict_SetItemString(dict, "keeper.last", self) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Who owns the reference is nobody's to reach. */
static PyObject *
item_leak(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    Table *garbage = PyMem_RawCalloc(1, sizeof(Table));
    if (garbage == NULL) {
        return PyErr_NoMemory();
    }
    garbage->items[0] = Py_NewRef(self);
    Py_RETURN_NONE;
}

static PyMethodDef item_methods[] = {
    {"keep_by_raw", item_keep_by_raw, METH_NOARGS, NULL},
    {"keep_by_python", item_keep_by_python, METH_NOARGS, NULL},
    {"keep_by_thread", item_keep_by_thread, METH_NOARGS, NULL},
    {"keep_by_dict", item_keep_by_dict, METH_NOARGS, NULL},
    {"leak", item_leak, METH_NOARGS, NULL},
    {NULL},
};

static PyType_Slot item_slots[] = {
    {Py_tp_new, item_new},
    {Py_tp_traverse, any_traverse},
    {Py_tp_dealloc, item_dealloc},
    {Py_tp_methods, item_methods},
    {0, NULL},
};

/* --- free memory of its own ----------------------------------------------------------------- */

static PyObject **pool;

/* Left for later while there is room for more. */
static PyObject *
pooled_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = NULL;
    PyMutex_Lock(&mutex);
    if (pool[PLACES - 1] != NULL) {
        self = pool[PLACES - 1];
        pool[PLACES - 1] = NULL;
    }
    PyMutex_Unlock(&mutex);
    if (self == NULL) {
        return type->tp_alloc(type, 0);
    }
    PyObject_Init(self, type);
    PyObject_GC_Track(self);
    return self;
}

static void
pooled_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    int place = 0;
    PyMutex_Lock(&mutex);
    while (place < PLACES && pool[place] != NULL) {
        ++place;
    }
    if (place < PLACES) {
        pool[place] = self;
    }
    PyMutex_Unlock(&mutex);
    if (place == PLACES) {
        type->tp_free(self);
    }
    Py_DECREF(type);
}

static PyType_Slot pooled_slots[] = {
    {Py_tp_new, pooled_new},
    {Py_tp_traverse, any_traverse},
    {Py_tp_dealloc, pooled_dealloc},
    {0, NULL},
};

/* --- instances that move, and such with deferred counts ------------------------------------- */

static PyObject *
row_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyVarObject *self = PyObject_GC_NewVar(PyVarObject, type, 64);
    PyVarObject *moved = self != NULL ? PyObject_GC_Resize(PyVarObject, self, 1) : NULL;
    if (moved == NULL) {
        Py_XDECREF(self);
        return NULL;
    }
    PyObject_GC_Track(moved);
    return (PyObject *)moved;
}

static PyType_Slot row_slots[] = {
    {Py_tp_new, row_new},
    {Py_tp_traverse, any_traverse},
    {Py_tp_dealloc, item_dealloc},
    {0, NULL},
};

static PyObject *
deferred_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *self = type->tp_alloc(type, 0);
#if PY_VERSION_HEX >= 0x030E0000
    if (self != NULL) {
        PyUnstable_Object_EnableDeferredRefcount(self);
    }
#endif
    return self;
}

static PyType_Slot deferred_slots[] = {
    {Py_tp_new, deferred_new},
    {Py_tp_traverse, any_traverse},
    {Py_tp_dealloc, item_dealloc},
    {0, NULL},
};

/* --- the module ----------------------------------------------------------------------------- */

#ifdef REGISTERS
#  define NAME "registrar"
#  define INIT PyInit_registrar
#else
#  define NAME "keeper"
#  define INIT PyInit_keeper
#endif

#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC)

static PyType_Spec specs[] = {
    {NAME ".Item", sizeof(PyObject), 0, FLAGS, item_slots},
    {NAME ".Pooled", sizeof(PyObject), 0, FLAGS, pooled_slots},
    {NAME ".Row", sizeof(PyVarObject), sizeof(void *), FLAGS, row_slots},
    {NAME ".Deferred", sizeof(PyObject), 0, FLAGS, deferred_slots},
};

static int
module_exec(PyObject *module)
{
    if (registered == NULL) {   /* PyMem_RawCalloc: the compiler makes data of what calloc gives */
        registered = PyMem_RawCalloc(ITEMS, sizeof(PyObject *));
        pool = PyMem_RawCalloc(PLACES, sizeof(PyObject *));
        table_of_raw = PyMem_RawCalloc(1, sizeof(Table));
        table_of_python = PyMem_Calloc(1, sizeof(Table));
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(specs); ++i) {
        PyObject *type = PyType_FromModuleAndSpec(module, &specs[i], NULL);
        if (type == NULL || PyModule_AddType(module, (PyTypeObject *)type) < 0) {
            Py_XDECREF(type);
            return -1;
        }
        Py_DECREF(type);
    }
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = NAME,
    .m_slots = module_slots,
};

PyMODINIT_FUNC
INIT(void)
{
    return PyModuleDef_Init(&module_def);
}
