/* tally.count(x): how many objects were counted; keeps nothing of them. */
#include <Python.h>

static PyObject *
tally_count(PyObject *module, PyObject *object)
{
    return PyLong_FromSsize_t(Py_REFCNT(object) > 0);
}

static PyMethodDef tally_methods[] = {
    {"count", tally_count, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot tally_slots[] = {
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static struct PyModuleDef tally_module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "tally",
    .m_methods = tally_methods,
    .m_slots = tally_slots,
};

PyMODINIT_FUNC
PyInit_tally(void)
{
    return PyModuleDef_Init(&tally_module);
}
