/* delegate: subclasses whose slots delegate to their base's, where the base is a static type and
   where it is a heap type. Who visits the type, and who drops the reference to it, differs.

       StaticBase(value)   static type: an instance owns no reference to its type
       FromStatic(value)   heap type over StaticBase: does for the type what its base does not
       HeapBase(value)     heap type: visits its type, drops it in dealloc
       FromHeap(value)     heap type over HeapBase: its base already does both

   All have `value`, the subclasses `extra` as well; see node.c for the rules about locks. */
#include <Python.h>

#include <stddef.h>

#include "plant.h"

typedef struct {
    PyObject_HEAD
    PyObject *value;            /* NULL reads as None */
} Base;

typedef struct {
    Base base;
    PyObject *extra;
} Derived;

/* --- attributes ----------------------------------------------------------------------------- */

static PyObject *
get_field(PyObject *op, void *offset)
{
    PyObject *value;
    Py_BEGIN_CRITICAL_SECTION(op);
    value = Py_XNewRef(*(PyObject **)((char *)op + (Py_ssize_t)offset));
    Py_END_CRITICAL_SECTION();
    return value != NULL ? value : Py_NewRef(Py_None);
}

static int
set_field(PyObject *op, PyObject *value, void *offset)
{
    PyObject *old, **field = (PyObject **)((char *)op + (Py_ssize_t)offset);
    Py_BEGIN_CRITICAL_SECTION(op);
    old = *field;
    *field = Py_XNewRef(value);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old);
    return 0;
}

static PyGetSetDef base_getset[] = {
    {"value", get_field, set_field, "any object", (void *)offsetof(Base, value)},
    {NULL},
};

static PyGetSetDef derived_getset[] = {
    {"extra", get_field, set_field, "any object", (void *)offsetof(Derived, extra)},
    {NULL},
};

static PyObject *
any_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", NULL};
    PyObject *value = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &value)) {
        return NULL;
    }
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL) {
        ((Base *)self)->value = Py_XNewRef(value);
    }
    return self;
}

/* --- StaticBase ----------------------------------------------------------------------------- */

static int
static_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Base *)op)->value);
    return 0;
}

static int
base_clear(PyObject *op)
{
    Py_CLEAR(((Base *)op)->value);
    return 0;
}

/* The trashcan matters before 3.14 only: a chain of instances may be long. */
static void
static_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, static_dealloc)
    base_clear(op);
    if (!PLANT(no_free)) Py_TYPE(op)->tp_free(op);  // finds: no-free; with: asan
    Py_TRASHCAN_END
}

static PyTypeObject StaticBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "delegate.StaticBase",
    .tp_doc = "A static type.",
    .tp_basicsize = sizeof(Base),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_new = any_new,
    .tp_traverse = static_traverse,
    .tp_clear = base_clear,
    .tp_dealloc = static_dealloc,
    .tp_getset = base_getset,
};

/* --- FromStatic ----------------------------------------------------------------------------- */

static int
from_static_traverse(PyObject *op, visitproc visit, void *arg)
{
    if (!PLANT(type_over_static_not_visited)) Py_VISIT(Py_TYPE(op));  // finds: type-not-visited
    Py_VISIT(((Derived *)op)->extra);
    if (PLANT(base_not_traversed)) return 0;  // finds: missed-visit
    return StaticBase_Type.tp_traverse(op, visit, arg);
}

static int
from_static_clear(PyObject *op)
{
    if (!PLANT(extra_not_cleared)) Py_CLEAR(((Derived *)op)->extra);  // finds: leaked-instance
    return StaticBase_Type.tp_clear(op);
}

static void
from_static_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, from_static_dealloc)
    Py_CLEAR(((Derived *)op)->extra);
    StaticBase_Type.tp_dealloc(op);
    /* A static type's dealloc knows nothing of the reference that we own. */
    if (!PLANT(type_over_static_kept)) Py_DECREF(type);  // finds: type-reference-kept
    Py_TRASHCAN_END
}

static PyType_Slot from_static_slots[] = {
    {Py_tp_doc, "A heap type over a static one."},
    {Py_tp_new, any_new},
    {Py_tp_traverse, from_static_traverse},
    {Py_tp_clear, from_static_clear},
    {Py_tp_dealloc, from_static_dealloc},
    {Py_tp_getset, derived_getset},
    {0, NULL},
};

static PyType_Spec from_static_spec = {
    .name = "delegate.FromStatic",
    .basicsize = sizeof(Derived),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = from_static_slots,
};

/* --- HeapBase ------------------------------------------------------------------------------- */

static int
heap_traverse(PyObject *op, visitproc visit, void *arg)
{
    Base *self = (Base *)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->value);
    if (PLANT(traverse_counts)) Py_XINCREF(self->value);  // finds: traverse-side-effect, leaked-reference
    return 0;
}

static void
heap_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, heap_dealloc)
    base_clear(op);
    (PLANT(wrong_free) ? PyObject_Free : type->tp_free)(op);  // finds: wrong-free, no-free
    Py_DECREF(type);
    Py_TRASHCAN_END
}

static PyType_Slot heap_slots[] = {
    {Py_tp_doc, "A heap type."},
    {Py_tp_new, any_new},
    {Py_tp_traverse, heap_traverse},
    {Py_tp_clear, base_clear},
    {Py_tp_dealloc, heap_dealloc},
    {Py_tp_getset, base_getset},
    {0, NULL},
};

static PyType_Spec heap_spec = {
    .name = "delegate.HeapBase",
    .basicsize = sizeof(Base),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = heap_slots,
};

/* --- FromHeap ------------------------------------------------------------------------------- */

static int
from_heap_traverse(PyObject *op, visitproc visit, void *arg)
{
    if (PLANT(type_over_heap_visited_twice)) Py_VISIT(Py_TYPE(op));  // finds: type-visited-twice
    Py_VISIT(((Derived *)op)->extra);
    return heap_traverse(op, visit, arg);
}

static int
from_heap_clear(PyObject *op)
{
    Py_CLEAR(((Derived *)op)->extra);
    if (PLANT(base_not_cleared)) return 0;  // finds: leaked-instance
    return base_clear(op);
}

static void
from_heap_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, from_heap_dealloc)
    if (!PLANT(extra_kept)) Py_CLEAR(((Derived *)op)->extra);  // finds: leaked-reference, leaked-instance
    heap_dealloc(op);
    Py_TRASHCAN_END
}

static PyType_Slot from_heap_slots[] = {
    {Py_tp_doc, "A heap type over a heap type."},
    {Py_tp_new, any_new},
    {Py_tp_traverse, from_heap_traverse},
    {Py_tp_clear, from_heap_clear},
    {Py_tp_dealloc, from_heap_dealloc},
    {Py_tp_getset, derived_getset},
    {0, NULL},
};

static PyType_Spec from_heap_spec = {
    .name = "delegate.FromHeap",
    .basicsize = sizeof(Derived),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = from_heap_slots,
};

/* --- the module ----------------------------------------------------------------------------- */

/* Adds the spec's type over the given base; returns a new reference to it. */
static PyObject *
add_type(PyObject *module, PyType_Spec *spec, PyObject *base)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, base);
    if (type != NULL && PyModule_AddType(module, (PyTypeObject *)type) < 0) {
        Py_CLEAR(type);
    }
    return type;
}

static int
delegate_exec(PyObject *module)
{
    if (PyModule_AddType(module, &StaticBase_Type) < 0) {
        return -1;
    }
    PyObject *from_static = add_type(module, &from_static_spec, (PyObject *)&StaticBase_Type);
    PyObject *heap = from_static ? add_type(module, &heap_spec, NULL) : NULL;
    PyObject *from_heap = heap ? add_type(module, &from_heap_spec, heap) : NULL;
    int result = from_heap ? 0 : -1;
    Py_XDECREF(from_static);
    Py_XDECREF(heap);
    Py_XDECREF(from_heap);
    return result;
}

/* A static type is shared by all interpreters of the process: one interpreter only. */
static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, delegate_exec},
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef delegate_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "delegate",
    .m_doc = "Slots that delegate to the base's.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit_delegate(void)
{
    return PyModuleDef_Init(&delegate_module);
}
