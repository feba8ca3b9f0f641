#include "python/interpreter.h"

#include "python/free_threading.h"
#include "python/lane_log.h"
#include "python/module_memory.h"
#include "python/ref.h"

namespace refquake {
namespace {

PyObject* g_gc = nullptr;          // the gc module; owned for the life of the process
PyObject* g_gc_collect = nullptr;  // gc.collect; likewise

std::string StatusText(const PyStatus& status) {
  return std::string(status.func ? status.func : "Python") + ": " + (status.err_msg ? status.err_msg : "exit");
}

bool PrependPath(const std::vector<std::string>& path) {
  PyObject* sys_path = PySys_GetObject("path");  // borrowed
  if (!sys_path) return false;
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    Ref entry(PyUnicode_DecodeFSDefault(it->c_str()));
    if (!entry || PyList_Insert(sys_path, 0, entry.get()) < 0) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> StartInterpreter(const InterpreterOptions& options) {
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.site_import = 0;
  config.install_signal_handlers = 0;
  config.write_bytecode = 0;
  config.use_hash_seed = 1;  // sets and dicts iterate alike in every process
  config.hash_seed = 0;
#ifdef Py_GIL_DISABLED
  if (options.force_gil_off) config.enable_gil = 0;
#endif
  PyStatus status = PyConfig_SetBytesString(&config, &config.home, options.home.c_str());
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) {
    return "cannot start the interpreter at " + options.home + ": " + StatusText(status);
  }
  g_gc = PyImport_ImportModule("gc");
  if (g_gc) g_gc_collect = PyObject_GetAttrString(g_gc, "collect");
  if (!g_gc_collect || !PrependPath(options.path)) return "cannot start the interpreter: " + TakeExceptionText();
  ModuleMemory::NoteLoadedFiles();
  return std::nullopt;
}

bool GilIsOff() {
  if (!kFreeThreaded) return false;
  PyObject* is_enabled = PySys_GetObject("_is_gil_enabled");  // borrowed
  if (!is_enabled) return false;
  Ref answer(PyObject_CallNoArgs(is_enabled));
  return answer.get() == Py_False;
}

void SettleInterpreter() {
  CollectNow();
  PyGC_Disable();
  if (!kFreeThreaded) Ref done(PyObject_CallMethod(g_gc, "freeze", nullptr));
  PyErr_Clear();
}

void CollectNow() {
  ++LaneLog::Mine().disturbances;
  PyObject* pending = PyErr_GetRaisedException();
  Ref collected(PyObject_CallNoArgs(g_gc_collect));
  PyErr_Clear();
  PyErr_SetRaisedException(pending);
}

std::string TakeExceptionText() {
  Ref exception(PyErr_GetRaisedException());
  if (!exception) return "no exception set";
  std::string text = Py_TYPE(exception.get())->tp_name;
  Ref message(PyObject_Str(exception.get()));
  const char* utf8 = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
  PyErr_Clear();
  return utf8 && *utf8 ? text + ": " + utf8 : text;
}

}  // namespace refquake
