// Ref: an owned reference (a "new reference" of the C API) released at the end of its scope.
//
//   Ref module(PyImport_ImportModule("gc"));      // takes over a new reference; may be null
//   Ref again = Ref::Borrow(module.get());        // makes a new one from a borrowed one
//   return module.release();                      // hands it to the caller
//
// Contract: the thread state is attached wherever a Ref is made, moved or destroyed. Move only.
#ifndef REFQUAKE_PYTHON_REF_H_
#define REFQUAKE_PYTHON_REF_H_

#include <Python.h>

#include <utility>

namespace refquake {

class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  static Ref Borrow(PyObject* borrowed) { return Ref(Py_XNewRef(borrowed)); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = std::exchange(object_, std::exchange(other.object_, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_REF_H_
