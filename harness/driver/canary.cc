#include "driver/canary.h"

#include <Python.h>

namespace refquake {
namespace {

struct Canary {
  PyObject_HEAD PyObject* hidden;  // not visited by tp_traverse: a missed visit
  long count;
};

// Discovery tries every method; a canary must sing in a program only.
bool g_armed = false;

Canary* Cast(PyObject* self) { return reinterpret_cast<Canary*>(self); }

// A plain read-modify-write of a shared field.
PyObject* Race(PyObject* self, PyObject*) {
  if (!g_armed) Py_RETURN_NONE;
  ++Cast(self)->count;
  Py_RETURN_NONE;
}

// Reads an object after its last reference went.
PyObject* UseAfterFree(PyObject*, PyObject*) {
  if (!g_armed) Py_RETURN_NONE;
  // Bytes, because they have no free list: their memory goes back to the allocator at once.
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, 100);
  if (!bytes) return nullptr;
  volatile char* text = PyBytes_AS_STRING(bytes);
  text[50] = 'x';
  Py_DECREF(bytes);
  return PyLong_FromLong(text[50]);
}

PyObject* Fatal(PyObject*, PyObject*) {
  if (!g_armed) Py_RETURN_NONE;
  Py_FatalError("refquake canary");
}

PyObject* Hide(PyObject* self, PyObject* object) {
  PyObject* old = Cast(self)->hidden;
  Cast(self)->hidden = Py_NewRef(object);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(Cast(self)->hidden);
  return 0;
}

void Dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef canary_methods[] = {
    {"race", Race, METH_NOARGS, nullptr},   {"use_after_free", UseAfterFree, METH_NOARGS, nullptr},
    {"fatal", Fatal, METH_NOARGS, nullptr}, {"hide", Hide, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot canary_slots[] = {
    {Py_tp_methods, canary_methods},
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {0, nullptr},
};

PyType_Spec canary_spec = {
    .name = "refquake_canary.Canary",
    .basicsize = sizeof(Canary),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = canary_slots,
};

int ExecModule(PyObject* module) {
  PyObject* type = PyType_FromModuleAndSpec(module, &canary_spec, nullptr);
  if (!type) return -1;
  const int failed = PyModule_AddObjectRef(module, "Canary", type);
  Py_DECREF(type);
  return failed;
}

PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(ExecModule)},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};

PyModuleDef module_def = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = kCanaryModule,
    .m_slots = module_slots,
};

PyObject* InitModule() { return PyModuleDef_Init(&module_def); }

struct CanarySpec {
  const char* name;
  const char* program;
  const char* report;
};

constexpr CanarySpec kCanaries[] = {
    {"race",
     "target: refquake_canary\n"
     "phase:\n    lane:\n        a = Canary()\n"
     "phase:\n    lane:\n        a.race()\n        a.race()\n    lane:\n        a.race()\n        a.race()\n",
     "data race"},
    {"use-after-free", "target: refquake_canary\nphase:\n    lane:\n        a = Canary()\n        a.use_after_free()\n",
     "AddressSanitizer: "},
    {"fatal", "target: refquake_canary\nphase:\n    lane:\n        a = Canary()\n        a.fatal()\n",
     "Fatal Python error"},
    {"finding",
     "target: refquake_canary\nphase:\n    lane:\n        a = Canary()\n        b = Value()\n        a.hide(b)\n",
     "SUMMARY: missed-visit refquake_canary.Canary hide"},
};

const CanarySpec* Find(const std::string& name) {
  for (const CanarySpec& canary : kCanaries) {
    if (name == canary.name) return &canary;
  }
  return nullptr;
}

}  // namespace

void ArmCanary() { g_armed = true; }

void RegisterCanary() { PyImport_AppendInittab(kCanaryModule, InitModule); }

const char* CanaryProgram(const std::string& name) {
  const CanarySpec* canary = Find(name);
  return canary ? canary->program : nullptr;
}

const char* CanaryReport(const std::string& name) {
  const CanarySpec* canary = Find(name);
  return canary ? canary->report : nullptr;
}

}  // namespace refquake
