/* A module that takes what no simple argument is: a mapping or a list of its own objects that hold something, a file, a
 * mapping that is not small, an iterator whose items nobody else holds; and a type with an attribute named like a
 * protocol method, and one that holds anything. */
#include <Python.h>

#include <time.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t size;
} Box;

static int
box_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *items = NULL;
    if (!PyArg_ParseTuple(args, "|O", &items)) {
        return -1;
    }
    ((Box *)self)->size = items ? PyObject_Size(items) : 0;
    return ((Box *)self)->size < 0 ? -1 : 0;
}

static Py_ssize_t
box_length(PyObject *self)
{
    return ((Box *)self)->size;
}

static PyObject *
box_get_within(PyObject *self, void *closure)
{
    return PyLong_FromSsize_t(((Box *)self)->size);
}

static int
box_set_within(PyObject *self, PyObject *value, void *closure)
{
    ((Box *)self)->size = 0;
    return 0;
}

static PyGetSetDef box_getset[] = {
    {"__within__", box_get_within, box_set_within, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot box_slots[] = {
    {Py_tp_init, box_init},
    {Py_tp_getset, box_getset},
    {Py_mp_length, box_length},
    {0, NULL},
};

static PyType_Spec box_spec = {
    .name = "picky.Box",
    .basicsize = sizeof(Box),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = box_slots,
};

static PyObject *
refuse(const char *what)
{
    PyErr_Format(PyExc_TypeError, "not %s", what);
    return NULL;
}

static int
is_filled_box(PyObject *object)
{
    return strcmp(Py_TYPE(object)->tp_name, "picky.Box") == 0 && ((Box *)object)->size > 0;
}

static PyObject *
crate_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *list;
    if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &list)) {
        return NULL;
    }
    if (PyList_GET_SIZE(list) == 0 || !is_filled_box(PyList_GET_ITEM(list, 0))) {
        return refuse("a list of filled boxes");
    }
    return type->tp_alloc(type, 0);
}

/* Holds any object: its own type, too. */
typedef struct {
    PyObject_HEAD
    PyObject *held;
} Shelf;

static PyObject *
shelf_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *held;
    if (!PyArg_ParseTuple(args, "O", &held)) {
        return NULL;
    }
    PyObject *self = type->tp_alloc(type, 0);
    if (self) {
        ((Shelf *)self)->held = Py_NewRef(held);
    }
    return self;
}

static int
shelf_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Shelf *)self)->held);
    return 0;
}

static int
shelf_clear(PyObject *self)
{
    Py_CLEAR(((Shelf *)self)->held);
    return 0;
}

static void
shelf_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    shelf_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot shelf_slots[] = {
    {Py_tp_new, shelf_new},
    {Py_tp_traverse, shelf_traverse},
    {Py_tp_clear, shelf_clear},
    {Py_tp_dealloc, shelf_dealloc},
    {0, NULL},
};

static PyType_Spec shelf_spec = {
    .name = "picky.Shelf",
    .basicsize = sizeof(Shelf),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = shelf_slots,
};

static PyObject *
picky_kind(PyObject *module, PyObject *ignored)
{
    return PyObject_GetAttrString(module, "Shelf");
}

static PyType_Slot crate_slots[] = {
    {Py_tp_new, crate_new},
    {0, NULL},
};

static PyType_Spec crate_spec = {
    .name = "picky.Crate",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = crate_slots,
};

static PyObject *
picky_map(PyObject *module, PyObject *mapping)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Check(mapping) || !PyDict_Next(mapping, &at, &key, &value) || !is_filled_box(value)) {
        return refuse("a mapping of filled boxes");
    }
    Py_RETURN_NONE;
}

static PyObject *
picky_load(PyObject *module, PyObject *file)
{
    PyObject *content = PyObject_CallMethod(file, "read", NULL);
    if (!content) {
        return refuse("a file");
    }
    const int binary = PyBytes_Check(content);
    Py_DECREF(content);
    return binary ? Py_NewRef(Py_None) : refuse("a binary file");
}

static PyObject *
picky_fresh(PyObject *module, PyObject *iterator)
{
    PyObject *item = PyIter_Check(iterator) ? PyIter_Next(iterator) : NULL;
    if (!item) {
        return refuse("an iterator that gives something");
    }
    const int alone = PyUnstable_Object_IsUniquelyReferenced(item);
    Py_DECREF(item);
    return alone ? Py_NewRef(Py_None) : refuse("an iterator of objects that nobody else holds");
}

static PyObject *
picky_grow(PyObject *module, PyObject *mapping)
{
    if (!PyDict_Check(mapping) || PyDict_Size(mapping) < 9) {
        return refuse("a mapping that outgrows the smallest table");
    }
    Py_RETURN_NONE;
}

/* Reads through NULL, but only for one kind of argument. */
static PyObject *
picky_trip(PyObject *module, PyObject *object)
{
    if (PyComplex_Check(object)) {
        return Py_NewRef(*(PyObject *volatile *)NULL);
    }
    Py_RETURN_NONE;
}

static PyObject *
picky_doze(PyObject *module, PyObject *object)
{
    const struct timespec a_second = {.tv_sec = 1};
    nanosleep(&a_second, NULL);
    Py_RETURN_NONE;
}

static PyMethodDef picky_methods[] = {
    {"kind", picky_kind, METH_NOARGS, NULL},
    {"load_library", picky_kind, METH_NOARGS, NULL},
    {"map", picky_map, METH_O, NULL},
    {"load", picky_load, METH_O, NULL},
    {"fresh", picky_fresh, METH_O, NULL},
    {"trip", picky_trip, METH_O, NULL},
    {"doze", picky_doze, METH_O, NULL},
    {"grow", picky_grow, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static int
picky_exec(PyObject *module)
{
    PyType_Spec *specs[] = {&box_spec, &crate_spec, &shelf_spec};
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); ++i) {
        PyObject *type = PyType_FromModuleAndSpec(module, specs[i], NULL);
        if (!type || PyModule_AddType(module, (PyTypeObject *)type) < 0) {
            Py_XDECREF(type);
            return -1;
        }
        Py_DECREF(type);
    }
    return 0;
}

static PyModuleDef_Slot picky_slots[] = {
    {Py_mod_exec, picky_exec},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef picky_module = {
    PyModuleDef_HEAD_INIT, .m_name = "picky", .m_methods = picky_methods, .m_slots = picky_slots,
};

PyMODINIT_FUNC
PyInit_picky(void)
{
    return PyModuleDef_Init(&picky_module);
}
