#include "python/baseline.h"

#include <Python.h>
#include <pthread.h>
#include <unistd.h>

#include <semaphore>

#include "python/free_threading.h"

extern "C" void refquake_set_heap_visible(PyThreadState* state, int visible);

namespace refquake {
namespace {

constexpr size_t kStackBytes = 8u << 20;  // as the workers'

PyThreadState* g_baseline = nullptr;

struct Job {
  const std::function<std::string()>& work;
  std::string error;
  std::binary_semaphore done{0};
};

void* RunJob(void* argument) {
  auto* job = static_cast<Job*>(argument);
  job->error = job->work();
  if (job->error.empty()) g_baseline = PyEval_SaveThread();
  job->done.release();
  for (;;) pause();
}

}  // namespace

std::string OnBaselineThread(const std::function<std::string()>& work) {
  if (!kFreeThreaded) return work();
  Job job{work, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, RunJob, &job);
  pthread_attr_destroy(&attributes);
  if (failed) return "cannot start a thread";
  job.done.acquire();
  if (!job.error.empty()) return job.error;
  PyEval_RestoreThread(PyThreadState_New(PyThreadState_GetInterpreter(g_baseline)));
  ShowBaseline(false);
  return "";
}

void ShowBaseline(bool shown) {
  if (g_baseline) refquake_set_heap_visible(g_baseline, shown);
}

}  // namespace refquake
