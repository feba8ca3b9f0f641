/* The module ring: see ring.h. */
#include "ring.h"

static struct PyModuleDef ring_module;

State *
ring_state_of(PyObject *self)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &ring_module);
    State *state = module != NULL ? PyModule_GetState(module) : NULL;
    if (state != NULL && state->ring == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the module ring is gone");
        return NULL;
    }
    return state;
}

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
ring_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    if ((state->ring = add_type(module, &ring_spec)) == NULL ||
        (state->iter = add_type(module, &ring_iter_spec)) == NULL ||
        (state->snapshot = add_type(module, &ring_snapshot_spec)) == NULL) {
        return -1;
    }
    return 0;
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->ring);
    Py_VISIT(state->iter);
    Py_VISIT(state->snapshot);
    return 0;
}

static int
module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->ring);
    Py_CLEAR(state->iter);
    Py_CLEAR(state->snapshot);
    return 0;
}

static void
module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, ring_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef ring_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "ring",
    .m_doc = "A growable array shared between threads.",
    .m_size = sizeof(State),
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC
PyInit_ring(void)
{
    return PyModuleDef_Init(&ring_module);
}
