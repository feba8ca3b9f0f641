// CPython may read freed memory while it tries to take a reference; nobody else may, and CPython not otherwise.
#include "python/lock_free_reads.h"

#include <Python.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>
#include <thread>

#include "python/interpreter.h"
#include "python/memory_state.h"

namespace refquake {
namespace {

using std::string_view_literals::operator""sv;

TEST(LockFreeReadsTest, ATryIsKnownByTheFunctionItIsInlinedInto) {
  EXPECT_EQ(ClassifyReader("_Py_IsOwnedByCurrentThread\0_Py_TryIncrefFast\0_Py_TryIncrefCompare\0"sv), Reader::kTries);
  EXPECT_EQ(ClassifyReader("_Py_TryIncRefShared\0"sv), Reader::kTries);
  EXPECT_EQ(ClassifyReader("_Py_IsImmortal\0compare_unicode_unicode_threadsafe\0"sv), Reader::kTries);
}

TEST(LockFreeReadsTest, AHelperAloneLeavesItToItsCaller) {
  EXPECT_EQ(ClassifyReader("_Py_atomic_load_uint32_relaxed\0"sv), Reader::kHelps);
}

TEST(LockFreeReadsTest, AnyOtherReaderIsNone) {
  EXPECT_EQ(ClassifyReader("_Py_atomic_load_uint32_relaxed\0Py_INCREF\0list_append\0"sv), Reader::kOther);
  EXPECT_EQ(ClassifyReader("node_get_next\0_Py_TryIncrefFast\0"sv), Reader::kOther);
  EXPECT_EQ(ClassifyReader("??\0"sv), Reader::kOther);
}

#if defined(REFQUAKE_ASAN) && defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000
// A string of bytes that is freed, and so poisoned by mimalloc.
PyObject* Freed() {
  if (StartInterpreter({.home = REFQUAKE_DEFAULT_HOME})) _exit(3);
  PyObject* object = PyBytes_FromStringAndSize(nullptr, 100);
  Py_DecRef(object);
  return object;
}

// By another thread, as it comes to it: the one that freed an object is not on its way to it.
int TryElsewhere(PyObject* object) {
  int taken = -1;
  std::thread([&] { taken = PyUnstable_TryIncRef(object); }).join();
  return taken;
}

TEST(LockFreeReadsAsanTest, ATryOnFreedMemoryFailsAndIsNoReport) {
  EXPECT_EXIT(_exit(TryElsewhere(Freed())), testing::ExitedWithCode(0), "");
}

TEST(LockFreeReadsAsanTest, AReferenceTakenToFreedMemoryIsReported) {
  EXPECT_DEATH(Py_IncRef(Freed()), "use-after-poison(.|\n)*in Py_IncRef");
}
#endif

}  // namespace
}  // namespace refquake
