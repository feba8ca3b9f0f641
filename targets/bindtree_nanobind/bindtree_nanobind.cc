// bindtree_nanobind: the tree of bindtree, bound with nanobind; see bindtree/bindtree.cc.
//
// Without views: what they show, they show of pybind11. nanobind's look-ups in traverse and clear
// (inst_ready, inst_ptr) take no lock.
#include <nanobind/nanobind.h>

#include <utility>
#include <vector>

#include "plant.h"

namespace nb = nanobind;

namespace {

struct Tree {
  nb::object value = nb::none();
  nb::object parent = nb::none();  // a Tree or None
  std::vector<nb::object> children;
};

Tree* Inside(PyObject* op) { return nb::inst_ready(op) ? nb::inst_ptr<Tree>(op) : nullptr; }

// --- garbage collection -----------------------------------------------------------------------

int TreeTraverse(PyObject* op, visitproc visit, void* arg) {
  if (PLANT(type_visited_twice)) Py_VISIT(Py_TYPE(op));  // finds: type-visited-twice
  Py_VISIT(Py_TYPE(op));
  Tree* tree = Inside(op);
  if (tree == nullptr) return 0;
  Py_VISIT(tree->value.ptr());
  if (!PLANT(parent_not_visited)) Py_VISIT(tree->parent.ptr());  // finds: missed-visit, leaked-instance
  for (const nb::object& child : tree->children) Py_VISIT(child.ptr());
  return 0;
}

int TreeClear(PyObject* op) {
  Tree* tree = Inside(op);
  if (tree == nullptr) return 0;
  Tree dropped;
  if (!PLANT(value_not_cleared)) std::swap(dropped.value, tree->value);  // finds: leaked-instance
  std::swap(dropped.parent, tree->parent);
  std::swap(dropped.children, tree->children);
  return 0;
}

PyType_Slot tree_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(TreeTraverse)},
    {Py_tp_clear, reinterpret_cast<void*>(TreeClear)},
    {0, nullptr},
};

// --- methods: `self` is the Python object, whose lock they need ---------------------------------

using Self = nb::handle_t<Tree>;

Tree& TreeOf(nb::handle self) { return *nb::inst_ptr<Tree>(self); }

nb::object GetValue(Self self) {
  if (PLANT_WINDOW(getter_race)) return TreeOf(self).value;  // finds: data-race; with: threads, tsan
  nb::ft_object_guard lock(self);
  return TreeOf(self).value;
}

void SetValue(Self self, nb::object value) {
  nb::ft_object_guard lock(self);
  std::swap(TreeOf(self).value, value);
}

void Push(Self self, nb::object child) {
  if (PLANT(push_leaks)) child.inc_ref();  // finds: leaked-reference, leaked-instance
  nb::ft_object_guard lock(self);
  TreeOf(self).children.push_back(std::move(child));
}

nb::object Pop(Self self) {
  nb::ft_object_guard lock(self);
  Tree& tree = TreeOf(self);
  if (tree.children.empty()) throw nb::index_error("pop from an empty tree");
  nb::object child = std::move(tree.children.back());
  tree.children.pop_back();
  if (PLANT(pop_extra_decref)) child.dec_ref();  // finds: missing-incref, use-after-free, negative-refcount, gc-assertion, segv; with: asan
  return child;
}

void Clear(Self self) {
  std::vector<nb::object> dropped;
  nb::ft_object_guard lock(self);
  std::swap(TreeOf(self).children, dropped);
}

size_t Length(Self self) {
  nb::ft_object_guard lock(self);
  return TreeOf(self).children.size();
}

void Adopt(Self self, Self other) {
  nb::object parent = nb::borrow(self);
  nb::ft_object2_guard lock(self, other);
  TreeOf(self).children.push_back(nb::borrow(other));
  std::swap(TreeOf(other).parent, parent);
}

nb::object GetParent(Self self) {
  nb::ft_object_guard lock(self);
  return TreeOf(self).parent;
}

}  // namespace

NB_MODULE(bindtree_nanobind, m) {
  // The harness looks for leaks itself; nanobind's report at the end of the process would only repeat it.
  nb::set_leak_warnings(false);
  m.doc() = "A tree bound with nanobind.";
  nb::class_<Tree>(m, "Tree", nb::type_slots(tree_slots))
      .def(nb::init<>())
      .def("__init__",
           [](Tree* self, nb::object value) {
             new (self) Tree();
             self->value = std::move(value);
           },
           nb::arg().none())
      .def_prop_rw("value", GetValue, SetValue, nb::for_setter(nb::arg().none()))
      .def_prop_ro("parent", GetParent)
      .def("push", Push, nb::arg().none())
      .def("pop", Pop)
      .def("clear", Clear)
      .def("adopt", Adopt)
      .def("__len__", Length);
}
