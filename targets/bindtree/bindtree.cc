// bindtree: a tree bound with pybind11. bindtree_nanobind and bindtree_cython are the same tree bound with
// those.
//
//     t = Tree()            # or Tree(value)
//     t.value = x
//     t.push(x); t.pop(); t.clear(); len(t)
//     t.adopt(other)        # pushes a Tree and makes t its `parent`
//     t.view()              # a View: v.tree is t
//
// The C++ objects own Python objects, so their types take part in garbage collection: traverse and clear
// are set up by hand. Neither may call py::cast, which takes pybind11's own lock: the threads may be
// stopped with one of them holding it. A Tree's fields are guarded by the critical section of its Python
// object, and what is dropped is dropped after it.
#include <pybind11/critical_section.h>
#include <pybind11/pybind11.h>

#include <utility>
#include <vector>

#include "plant.h"

namespace py = pybind11;

namespace {

struct Tree {
  py::object value = py::none();
  py::object parent = py::none();  // a Tree or None
  std::vector<py::object> children;
};

struct View {
  py::object tree;
};

// The C++ object inside a Python one, null before its constructor has run. No lock, no look-up.
// pybind11 makes an instance, which the collector then sees, and lays it out a moment later; in between it may wait
// for a lock, and another thread may collect. is_holder_constructed() would read through null then.
template <typename T>
T* Inside(PyObject* op) {
  auto* instance = reinterpret_cast<py::detail::instance*>(op);
  if (!instance->simple_layout && !instance->nonsimple.status) return nullptr;
  py::detail::value_and_holder inside = instance->get_value_and_holder();
  return inside.holder_constructed() ? inside.value_ptr<T>() : nullptr;
}

// --- garbage collection -----------------------------------------------------------------------

int TreeTraverse(PyObject* op, visitproc visit, void* arg) {
  if (!PLANT(type_not_visited)) Py_VISIT(Py_TYPE(op));  // finds: type-not-visited
  Tree* tree = Inside<Tree>(op);
  if (tree == nullptr) return 0;
  if (!PLANT(value_not_visited)) Py_VISIT(tree->value.ptr());  // finds: missed-visit
  Py_VISIT(tree->parent.ptr());
  for (const py::object& child : tree->children) Py_VISIT(child.ptr());
  return 0;
}

int TreeClear(PyObject* op) {
  Tree* tree = Inside<Tree>(op);
  if (tree == nullptr) return 0;
  Tree dropped;
  std::swap(dropped.value, tree->value);
  std::swap(dropped.parent, tree->parent);
  if (!PLANT(children_not_cleared)) std::swap(dropped.children, tree->children);  // finds: leaked-instance
  return 0;
}

int ViewTraverse(PyObject* op, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(op));
  View* view = Inside<View>(op);
  if (view != nullptr) Py_VISIT(view->tree.ptr());
  return 0;
}

int ViewClear(PyObject* op) {
  View* view = Inside<View>(op);
  if (view != nullptr) py::object dropped = std::exchange(view->tree, py::none());
  return 0;
}

py::custom_type_setup Collected(traverseproc traverse, inquiry clear) {
  return py::custom_type_setup([traverse, clear](PyHeapTypeObject* heap_type) {
    heap_type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    heap_type->ht_type.tp_traverse = traverse;
    heap_type->ht_type.tp_clear = clear;
  });
}

// pybind11 3.1.0's clear_instance() looks at an instance's weak references without a lock, and not atomically, while
// the tp_dealloc of one of them, in another thread, takes itself out of the list: none are taken then. Once a type is
// ready: before, it would inherit the place of the list from pybind11's base.
void TakeNoWeakReferences(const py::handle& type) {
  reinterpret_cast<PyTypeObject*>(type.ptr())->tp_weaklistoffset = 0;
}

// --- methods: `self` is the Python object, whose lock they need ---------------------------------

py::object GetValue(const py::object& self) {
  Tree& tree = self.cast<Tree&>();
  py::scoped_critical_section lock(self);
  if (PLANT(getter_leaks)) tree.value.inc_ref();  // finds: leaked-reference, leaked-instance
  return tree.value;
}

void SetValue(const py::object& self, py::object value) {
  Tree& tree = self.cast<Tree&>();
  py::scoped_critical_section lock(PLANT_WINDOW(setter_race) ? py::handle() : py::handle(self));  // finds: data-race; with: threads, tsan
  std::swap(tree.value, value);
}

void Push(const py::object& self, const py::object& child) {
  Tree& tree = self.cast<Tree&>();
  // The vector owns what it holds.
  if (PLANT(steals_borrowed)) child.dec_ref();  // finds: missing-incref, use-after-free, negative-refcount, gc-assertion, segv; with: asan
  py::scoped_critical_section lock(self);
  tree.children.push_back(child);
}

py::object Pop(const py::object& self) {
  Tree& tree = self.cast<Tree&>();
  py::scoped_critical_section lock(self);
  if (tree.children.empty()) throw py::index_error("pop from an empty tree");
  py::object child = std::move(tree.children.back());
  tree.children.pop_back();
  return child;
}

void Clear(const py::object& self) {
  std::vector<py::object> dropped;
  Tree& tree = self.cast<Tree&>();
  {
    py::scoped_critical_section lock(self);
    std::swap(tree.children, dropped);
  }
  if (PLANT(dropped_while_released)) {  // finds: segv, fatal-error
    py::gil_scoped_release release;
    for (py::object& child : dropped) Py_DECREF(child.release().ptr());
  }
}

size_t Length(const py::object& self) {
  Tree& tree = self.cast<Tree&>();
  py::scoped_critical_section lock(self);
  return tree.children.size();
}

void Adopt(const py::object& self, const py::object& other) {
  Tree& tree = self.cast<Tree&>();
  Tree& child = other.cast<Tree&>();
  py::object parent = self;
  {
    py::scoped_critical_section lock(self, other);
    tree.children.push_back(other);
    std::swap(child.parent, parent);
  }
}

py::object GetParent(const py::object& self) {
  Tree& tree = self.cast<Tree&>();
  py::scoped_critical_section lock(self);
  return tree.parent;
}

View MakeView(const py::object& self) {
  self.cast<Tree&>();
  return View{PLANT(kept_alive_unseen) ? py::none() : self};
}

}  // namespace

PYBIND11_MODULE(bindtree, m, py::mod_gil_not_used()) {
  m.doc() = "A tree bound with pybind11.";
  py::class_<View> view(m, "View", Collected(ViewTraverse, ViewClear));
  view.def_property_readonly("tree", [](const py::object& self) { return self.cast<View&>().tree; });
  py::class_<Tree> tree(m, "Tree", Collected(TreeTraverse, TreeClear));
  TakeNoWeakReferences(view);
  TakeNoWeakReferences(tree);
  tree.def(py::init<>())
      .def(py::init([](py::object value) {
        Tree made;
        made.value = std::move(value);
        return made;
      }))
      .def_property("value", GetValue, SetValue)
      .def_property_readonly("parent", GetParent)
      .def("push", Push)
      .def("pop", Pop)
      .def("clear", Clear)
      .def("adopt", Adopt)
      .def("__len__", Length);
  // keep_alive holds a reference that no traverse visits: a cycle through it is never collected.
  if (PLANT(kept_alive_unseen)) tree.def("view", MakeView, py::keep_alive<0, 1>());  // finds: leaked-reference, leaked-instance
  if (!PLANT(kept_alive_unseen)) tree.def("view", MakeView);
}
