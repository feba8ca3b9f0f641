/* node: a node of a graph. The plainest heap type that has everything: two fields, a growing C
   array of children, weak references, garbage collection, a lock.

       n = Node()                  # or Node(left), Node(left, right)
       n.left = n; n.right = None; del n.left
       n.push(x); n.pop(); n.first(); n.clear(); len(n)

   Every access to a Node's fields holds its critical section; a reference that is dropped is dropped
   after the lock is released, because a destructor may run any code. Functions whose name ends in
   _lock_held expect the caller to hold it. */
#include <Python.h>

#include <stddef.h>

#include "plant.h"

typedef struct {
    PyObject_HEAD
    PyObject *left;             /* NULL reads as None */
    PyObject *right;
    PyObject **children;        /* `size` owned references, room for `capacity` */
    Py_ssize_t size;
    Py_ssize_t capacity;
} Node;

/* --- life and death ------------------------------------------------------------------------- */

static int set_field(PyObject *op, PyObject *value, void *offset);

static PyObject *
node_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"left", "right", NULL};
    PyObject *left = NULL, *right = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:Node", names, &left, &right)) {
        return NULL;
    }
    /* tp_alloc zeroes the fields and tracks the object: NULL fields are valid. */
    Node *self = (Node *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    if (left != NULL) {
        set_field((PyObject *)self, left, (void *)offsetof(Node, left));
    }
    if (right != NULL) {
        set_field((PyObject *)self, right, (void *)offsetof(Node, right));
    }
    return (PyObject *)self;
}

static int
node_traverse(PyObject *op, visitproc visit, void *arg)
{
    Node *self = (Node *)op;
    if (!PLANT(type_not_visited)) Py_VISIT(Py_TYPE(op));     // finds: type-not-visited
    if (PLANT(type_visited_twice)) Py_VISIT(Py_TYPE(op));    // finds: type-visited-twice
    if (!PLANT(member_not_visited)) Py_VISIT(self->left);    // finds: missed-visit
    if (PLANT(member_visited_twice)) Py_VISIT(self->right);  // finds: extra-visit, gc-assertion
    Py_VISIT(self->right);
    Py_ssize_t size = PLANT(children_not_visited) ? 0 : self->size;  // finds: missed-visit
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_VISIT(self->children[i]);
    }
    return 0;
}

/* Takes the array away before it drops what is in it: a destructor sees an empty node. */
static void
drop_children(Node *self)
{
    PyObject **children = self->children;
    Py_ssize_t size = self->size;
    self->children = NULL;
    self->size = self->capacity = 0;
    while (size > 0) {
        Py_DECREF(children[--size]);
    }
    PyMem_Free(children);
}

static void
drop_fields(Node *self)
{
    Py_CLEAR(self->left);
    Py_CLEAR(self->right);
    drop_children(self);
}

/* No lock: the collector calls it for objects that no thread can reach. */
static int
node_clear(PyObject *op)
{
    if (!PLANT(missing_clear)) drop_fields((Node *)op);  // finds: leaked-instance
    return 0;
}

static void
node_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    if (!PLANT(missing_untrack) && !PLANT(late_untrack)) PyObject_GC_UnTrack(op);  // finds: still-tracked-at-free, still-tracked-in-dealloc
    Py_TRASHCAN_BEGIN(op, node_dealloc)  /* matters before 3.14 only: a chain of nodes may be long */
    if (!PLANT(weakrefs_left)) PyObject_ClearWeakRefs(op);  // finds: weakrefs-left
    drop_fields((Node *)op);
    if (PLANT(late_untrack)) PyObject_GC_UnTrack(op);  // finds: still-tracked-in-dealloc
    if (PLANT(type_reference_early)) Py_DECREF(type);  // finds: type-reference-early
    type->tp_free(op);
    if (!PLANT(type_reference_kept) && !PLANT(type_reference_early)) Py_DECREF(type);  // finds: type-reference-kept
    Py_TRASHCAN_END
}

/* --- left, right ---------------------------------------------------------------------------- */

static PyObject **
field_at(PyObject *op, void *offset)
{
    return (PyObject **)((char *)op + (Py_ssize_t)offset);
}

/* Takes the reference over. */
static PyObject *
none_if_null(PyObject *value)
{
    return value != NULL ? value : Py_NewRef(Py_None);
}

static PyObject *
get_field(PyObject *op, void *offset)
{
    PyObject **field = field_at(op, offset), *value;
    if (PLANT_WINDOW(getter_race)) return none_if_null(Py_XNewRef(*field));  // finds: data-race; with: threads, tsan
    Py_BEGIN_CRITICAL_SECTION(op);
    value = Py_XNewRef(*field);
    Py_END_CRITICAL_SECTION();
    return none_if_null(value);
}

/* Puts value into the field; returns the reference that was there. */
static PyObject *
exchange_lock_held(PyObject **field, PyObject *value)
{
    PyObject *old = *field;
    if (!PLANT(missing_incref)) Py_XINCREF(value);  // finds: missing-incref, use-after-free, negative-refcount, gc-assertion, segv; with: asan
    *field = value;
    return old;
}

static int
drop(PyObject *old)
{
    Py_XDECREF(old);
    return 0;
}

/* value is NULL for `del`. */
static int
set_field(PyObject *op, PyObject *value, void *offset)
{
    PyObject **field = field_at(op, offset), *old;
    if (PLANT_WINDOW(setter_race)) return drop(exchange_lock_held(field, value));  // finds: data-race; with: threads, tsan
    Py_BEGIN_CRITICAL_SECTION(op);
    old = exchange_lock_held(field, value);
    Py_END_CRITICAL_SECTION();
    return drop(old);
}

/* --- children ------------------------------------------------------------------------------- */

static int
reserve_lock_held(Node *self, Py_ssize_t size)
{
    if (size <= self->capacity) {
        return 0;
    }
    Py_ssize_t capacity = size < 2 ? 2 : size * 2;
    Py_ssize_t room = capacity - PLANT(one_too_few);  // finds: heap-buffer-overflow, fatal-error; with: asan
    /* Not PyMem_Resize: that sets its argument to NULL when it fails, and the children would be gone. */
    PyObject **children = PyMem_Realloc(self->children, (size_t)room * sizeof(PyObject *));
    if (children == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->children = children;
    self->capacity = capacity;
    return 0;
}

static PyObject *
push_lock_held(Node *self, PyObject *child)
{
    if (reserve_lock_held(self, self->size + 1) < 0) {
        return NULL;
    }
    self->children[self->size++] = Py_NewRef(child);
    Py_RETURN_NONE;
}

static PyObject *
node_push(PyObject *op, PyObject *child)
{
    PyObject *result;
    if (PLANT_WINDOW(push_race)) return push_lock_held((Node *)op, child);  // finds: data-race; with: threads, tsan
    Py_BEGIN_CRITICAL_SECTION(op);
    result = push_lock_held((Node *)op, child);
    Py_END_CRITICAL_SECTION();
    return result;
}

static PyObject *
node_pop(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Node *self = (Node *)op;
    PyObject *child = NULL;
    Py_BEGIN_CRITICAL_SECTION(op);
    if (self->size > 0) {
        /* The array's reference becomes the caller's. */
        child = self->children[--self->size];
    }
    Py_END_CRITICAL_SECTION();
    if (PLANT(pop_extra_decref)) Py_XDECREF(child);  // finds: missing-incref, use-after-free, negative-refcount, gc-assertion, segv; with: asan
    return none_if_null(child);
}

static PyObject *
node_first(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Node *self = (Node *)op;
    PyObject *child = NULL;
    Py_BEGIN_CRITICAL_SECTION(op);
    if (self->size > 0) {
        child = Py_NewRef(self->children[0]);
    }
    Py_END_CRITICAL_SECTION();
    if (PLANT(method_leak)) Py_XINCREF(child);  // finds: leaked-reference, leaked-instance
    if (child == NULL) {
        if (!PLANT(error_not_set)) PyErr_SetString(PyExc_IndexError, "node has no children");  // finds: bad-return, fatal-error
    }
    return child;
}

static PyObject *
node_drop_all(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Node taken = {0};
    Node *self = (Node *)op;
    Py_BEGIN_CRITICAL_SECTION(op);
    taken.children = self->children;
    taken.size = self->size;
    self->children = NULL;
    self->size = PLANT(size_left_behind) ? self->size : 0;  // finds: segv
    self->capacity = 0;
    Py_END_CRITICAL_SECTION();
    drop_children(&taken);
    Py_RETURN_NONE;
}

static Py_ssize_t
node_length(PyObject *op)
{
    Py_ssize_t size;
    if (PLANT_WINDOW(length_race)) return ((Node *)op)->size;  // finds: data-race; with: threads, tsan
    Py_BEGIN_CRITICAL_SECTION(op);
    size = ((Node *)op)->size;
    Py_END_CRITICAL_SECTION();
    return size;
}

/* --- the type and the module ---------------------------------------------------------------- */

static PyGetSetDef node_getset[] = {
    {"left", get_field, set_field, "any object", (void *)offsetof(Node, left)},
    {"right", get_field, set_field, "any object", (void *)offsetof(Node, right)},
    {NULL},
};

static PyMethodDef node_methods[] = {
    {"push", node_push, METH_O, "Add a child at the end."},
    {"pop", node_pop, METH_NOARGS, "Remove and return the last child; None if there is none."},
    {"first", node_first, METH_NOARGS, "Return the first child; IndexError if there is none."},
    {"clear", node_drop_all, METH_NOARGS, "Remove all children."},
    {NULL},
};

static PyType_Slot node_slots[] = {
    {Py_tp_doc, "A node of a graph."},
    {Py_tp_new, node_new},
    {Py_tp_traverse, node_traverse},
    {Py_tp_clear, node_clear},
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_getset, node_getset},
    {Py_tp_methods, node_methods},
    {Py_sq_length, node_length},
    {0, NULL},
};

static PyType_Spec node_spec = {
    .name = "node.Node",
    .basicsize = sizeof(Node),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_MANAGED_WEAKREF,
    .slots = node_slots,
};

static int
node_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &node_spec, NULL);
    if (type == NULL) {
        return -1;
    }
    int result = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return result;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, node_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static PyModuleDef node_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "node",
    .m_doc = "A graph of nodes.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit_node(void)
{
    return PyModuleDef_Init(&node_module);
}
