// Threads that the module under test has started: they are no lanes, and run freely in real time.
//
//   NoteThreadsBeforeLoading();
//   ...                                  // import it and try it out
//   NoteThreadsAfterLoading();           // what is here now and was not before is the module's
//   ...                                  // whatever threads the harness, libFuzzer and the sanitizer start
//   NoteOwnThreads();                    // the first program is about to run
//   if (!ModuleThreadsRun()) ...         // nobody but a lane can wake a lane
//
// Why it matters: a lane may rightly wait for such a thread, without a time-out and for long. What looks like a
// deadlock or a livelock of the lanes is none while one of them lives.
//
// The first two may be called again, around whatever else runs code of the module's. Contract: false until
// NoteOwnThreads() was called; from then on wrong only towards true: so it is where the kernel gives no list (/proc),
// or one that is too long.
#ifndef REFQUAKE_SCHED_MODULE_THREADS_H_
#define REFQUAKE_SCHED_MODULE_THREADS_H_

namespace refquake::sched {

void NoteThreadsBeforeLoading();
void NoteThreadsAfterLoading();
void NoteOwnThreads();
bool ModuleThreadsRun();

}  // namespace refquake::sched

#endif  // REFQUAKE_SCHED_MODULE_THREADS_H_
