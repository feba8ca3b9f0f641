#include "python/discover_deny.h"

#include <string_view>

namespace refquake {
namespace {

// By the whole name, or by its last part.
const std::set<std::string_view>& DeniedNames() {
  static const std::set<std::string_view> names = {
      // Files and folders.
      "FileIO",
      "open",
      "open_code",
      "fdopen",
      "opener",
      "mkfifo",
      "mknod",
      "mkdir",
      "makedirs",
      "rmdir",
      "symlink",
      "readlink",
      "chdir",
      "chroot",
      "chmod",
      "chown",
      "utime",
      "pwrite",
      "memfd_create",
      "shm_open",
      "shm_unlink",
      "fromfd",
      "load_extension",
      "enable_load_extension",
      "backup",
      // Processes and signals.
      "system",
      "popen",
      "Popen",
      "fork",
      "forkpty",
      "fork_exec",
      "execv",
      "execve",
      "spawnv",
      "spawnve",
      "posix_spawn",
      "posix_spawnp",
      "kill",
      "killpg",
      "raise_signal",
      "pthread_kill",
      "alarm",
      "setitimer",
      "pause",
      "sigwait",
      "sigwaitinfo",
      "sigtimedwait",
      "signal",
      "abort",
      "_exit",
      "exit",
      "quit",
      "suspend",
      "send_signal",
      "terminate",
      "setuid",
      "setgid",
      "setsid",
      "nice",
      "setpriority",
      "setrlimit",
      "prlimit",
      "ionice",
      "cpu_affinity",
      "rlimit",
      "proc_ioprio_set",
      "proc_cpu_affinity_set",
      "linux_prlimit",
      // Sockets and devices.
      "socket",
      "socketpair",
      "create_connection",
      "connect",
      "bind",
      "listen",
      "accept",
      "getaddrinfo",
      "gethostbyname",
      "gethostbyname_ex",
      "gethostbyaddr",
      "getnameinfo",
      "sethostname",
      "ioctl",
      "fcntl",
      "flock",
      "lockf",
      "openlog",
      "tcsetattr",
      "set_wakeup_fd",
      // Waiting.
      "sleep",
      "input",
      "breakpoint",
      "set_trace",
      "wait",
      "waitpid",
      "select",
      "poll",
      "epoll",
      "acquire",
      "acquire_lock",
      "allocate_lock",
      "start_new_thread",
      "start_new",
      "start_joinable_thread",
      "daemon_threads_allowed",
      "interrupt_main",
      // The process's own switches: the garbage collector, tracing, recursion, hooks, codecs.
      "settrace",
      "setprofile",
      "setrecursionlimit",
      "setswitchinterval",
      "set_threshold",
      "set_debug",
      "freeze",
      "unfreeze",
      "enable",
      "disable",
      "addaudithook",
      "set_asyncgen_hooks",
      "set_coroutine_origin_tracking_depth",
      "_clear_type_cache",
      "_clear_internal_caches",
      "unregister",
      "register_error",
      "setdlopenflags",
      "_settraceallthreads",
      "_setprofileallthreads",
      "set_int_max_str_digits",
      "field_size_limit",
      "set_memlimit",
      "tzset",
      "reset_tzpath",
      // Memory and crashes on purpose.
      "dlopen",
      "dlsym",
      "dlclose",
      "call_function",
      "call_cdeclfunction",
      "PyObj_FromPtr",
      "_sigsegv",
      "_sigabrt",
      "_sigfpe",
      "_stack_overflow",
      "_fatal_error",
      "_fatal_error_c_thread",
      "_read_null",
      "string_at",
      "memmove",
      "memset",
      "from_address",
      "from_handle",
      "release_handle",
      // What runs for ever or grows without bounds: a package's own test suite, powers and shifts of large numbers.
      "test", "_test", "run_tests", "pow", "ipow", "lshift", "ilshift", "SimpleQueue.get",
      // Code from text, and objects in the interpreter's own hands.
      "exec",
      "eval",
      "compile_code",
      "__import__",
      "import_module",
      "get_objects",
      "get_referrers",
      "_getframe",
      "_current_frames",
      "_current_exceptions",
      "verify",
      "runctx",
      "monitoring",
  };
  return names;
}

bool IsDeniedModule(std::string_view name) {
  static const std::set<std::string_view> modules = {
      "_testcapi", "_testinternalcapi", "_testlimitedcapi", "ctypes", "_ctypes", "faulthandler", "posix",
      "os",        "subprocess"};
  return modules.contains(name);
}

}  // namespace

bool DenyList::Denies(const std::string& name) const {
  if (own_.contains(name) || DeniedNames().contains(name)) return true;
  const size_t dot = name.rfind('.');
  const std::string_view last = std::string_view(name).substr(dot == std::string::npos ? 0 : dot + 1);
  if (DeniedNames().contains(last)) return true;
  const size_t first = name.find('.');
  return first != std::string::npos && IsDeniedModule(std::string_view(name).substr(0, first));
}

}  // namespace refquake
