# cython: language_level=3, freethreading_compatible=True, binding=False
"""bindtree_cython: the tree of bindtree, bound with Cython; see bindtree/bindtree.cc.

Cython makes traverse, clear and dealloc itself, for the members it knows to be objects. Without views:
what they show, they show of pybind11.
"""
cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF


cdef extern from "plant.h":
    # The plants: C names that only the macro sees.
    bint PLANT(int plant)
    bint PLANT_WINDOW(int plant)
    int parent_hidden, value_increfed, setter_race, pop_extra_decref, last_borrowed


cdef class Tree:
    cdef object _value
    cdef object _parent             # a Tree or None
    cdef list children
    cdef PyObject *last_pushed      # borrowed, hence worth nothing
    cdef PyObject *hidden           # owned, but out of the collector's sight: NULL but in a plant

    def __cinit__(self, value=None):
        self._value = value
        self.children = []

    def __dealloc__(self):
        if self.hidden != NULL:
            Py_DECREF(<object>self.hidden)

    cdef exchange_value(self, value):
        old, self._value = self._value, value
        return old

    @property
    def value(self):
        with cython.critical_section(self):
            return self._value

    @value.setter
    def value(self, value):
        if PLANT(value_increfed): Py_INCREF(value)  # finds: leaked-reference, leaked-instance
        if PLANT_WINDOW(setter_race): self.exchange_value(value); return  # finds: data-race; with: threads, tsan
        with cython.critical_section(self):
            old = self.exchange_value(value)

    @property
    def parent(self):
        with cython.critical_section(self):
            return self._parent

    def push(self, child):
        with cython.critical_section(self):
            self.children.append(child)
            self.last_pushed = <PyObject *>child

    def pop(self):
        with cython.critical_section(self):
            child = self.children.pop()
        if PLANT(pop_extra_decref): Py_DECREF(child)  # finds: missing-incref, use-after-free, negative-refcount, gc-assertion, assertion, segv; with: asan
        return child

    def last(self):
        with cython.critical_section(self):
            if PLANT_WINDOW(last_borrowed) and self.last_pushed != NULL: return <object>self.last_pushed  # finds: use-after-free, negative-refcount, segv; with: asan
            return self.children[-1]

    def clear(self):
        with cython.critical_section(self):
            dropped, self.children = self.children, []

    def __len__(self):
        with cython.critical_section(self):
            return len(self.children)

    def adopt(self, Tree other not None):
        with cython.critical_section(self, other):
            self.children.append(other)
            if PLANT(parent_hidden) and other.hidden == NULL: Py_INCREF(self); other.hidden = <PyObject *>self  # finds: leaked-reference, leaked-instance
            old, other._parent = other._parent, self
