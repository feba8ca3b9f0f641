/* A module that ends the process when it is looked at: stumble.Pit(x) reads through NULL. */
#include <Python.h>

static PyObject *
pit_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) == 1) {
        *(volatile int *)NULL = 1;
    }
    return type->tp_alloc(type, 0);
}

static PyType_Slot pit_slots[] = {
    {Py_tp_new, pit_new},
    {0, NULL},
};

static PyType_Spec pit_spec = {
    .name = "stumble.Pit",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = pit_slots,
};

static PyObject *
stumble_open(PyObject *module, PyObject *ignored)
{
    Py_RETURN_NONE;
}

static PyMethodDef stumble_methods[] = {
    {"open", stumble_open, METH_NOARGS, NULL},
    {"look", stumble_open, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int
stumble_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &pit_spec, NULL);
    if (type == NULL) {
        return -1;
    }
    int result = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return result;
}

static PyModuleDef_Slot stumble_slots[] = {
    {Py_mod_exec, stumble_exec},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static struct PyModuleDef stumble_module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "stumble",
    .m_methods = stumble_methods,
    .m_slots = stumble_slots,
};

PyMODINIT_FUNC
PyInit_stumble(void)
{
    return PyModuleDef_Init(&stumble_module);
}
