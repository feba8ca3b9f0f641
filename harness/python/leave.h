// How the process ends: by the harness's own will, or because code under test ends it.
//
//   WatchExits([](int status) { ...report it...; LeaveProcess(3); });   // once, before the module is imported
//   LeaveProcess(0);
//
// A module whose import, or whose op, calls exit() or _exit() (os._exit(0) too) would end a campaign that
// looks clean. The binary's own _exit comes before libc's for everything it loads; exit() is seen by a handler.
//
// Contract: LeaveProcess may be called from any thread. It runs no destructor (the interpreter is not finalised) and
// flushes nothing: a thread that hangs may hold a stream. A child that code under test forks ends at once: it would go
// on fuzzing beside its parent, with threads that it does not have.
#ifndef REFQUAKE_PYTHON_LEAVE_H_
#define REFQUAKE_PYTHON_LEAVE_H_

namespace refquake {

[[noreturn]] void LeaveProcess(int code);

// `on_exit` is called with the status when something else ends the process by _exit (-1: by exit, whose status a
// handler is not told). It may return: then the process ends as it would have.
void WatchExits(void (*on_exit)(int status));

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_LEAVE_H_
