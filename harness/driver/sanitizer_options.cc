// What the sanitizers do by default in a fuzz binary; the environment's ASAN_OPTIONS and TSAN_OPTIONS
// come on top. The runtimes call these functions before main.
//
// - exitcode=77: the same for every kind of finding.
// - handle_abort=1: CPython's fatal errors abort; the sanitizer prints the stack and runs the death
//   callback, which writes the artefact.
// - quarantine_size_mb=16: objects live in mimalloc and have a quarantine of their own; malloc's would only
//   make a long run grow by 256 MB.
// - detect_leaks=0: the survival oracle judges leaks, and the interpreter is never finalised.
// - TSan, halt_on_error=1: later races are often echoes of the first. report_signal_unsafe=0: a report
//   from a signal handler would hang. history_size=4: stacks of earlier accesses last a program long.
//   atexit_sleep_ms=0: by default each process waits a second at its end for threads that may still report; lanes
//   have ended by then.
#if __has_feature(address_sanitizer)
extern "C" const char* __asan_default_options() {
  return "exitcode=77:handle_abort=1:detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16:detect_stack_use_"
         "after_return=0";
}
#elif __has_feature(thread_sanitizer)
extern "C" const char* __tsan_default_options() {
  return "exitcode=77:handle_abort=1:halt_on_error=1:report_signal_unsafe=0:history_size=4:report_thread_leaks=0:"
         "atexit_sleep_ms=0";
}
#endif
