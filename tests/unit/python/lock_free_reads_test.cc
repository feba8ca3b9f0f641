// CPython may read freed memory while it tries to take a reference; nobody else may, and CPython not otherwise.
#include "python/lock_free_reads.h"

#include <Python.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

#include "python/memory_state.h"

#if defined(REFQUAKE_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace refquake {
namespace {

using std::string_view_literals::operator""sv;

TEST(LockFreeReadsTest, ATryIsKnownByTheFunctionItIsInlinedInto) {
  EXPECT_EQ(ClassifyReader("_Py_IsOwnedByCurrentThread\0_Py_TryIncrefFast\0_Py_TryIncrefCompare\0"sv), Reader::kTries);
  EXPECT_EQ(ClassifyReader("_Py_TryIncRefShared\0_Py_TryXGetRef\0"sv), Reader::kTries);
  EXPECT_EQ(ClassifyReader("_Py_IsImmortal\0compare_unicode_unicode_threadsafe\0"sv), Reader::kTries);
}

TEST(LockFreeReadsTest, AHelperAloneLeavesItToItsCaller) {
  EXPECT_EQ(ClassifyReader("_Py_atomic_load_uint32_relaxed\0"sv), Reader::kHelps);
  EXPECT_EQ(ClassifyReader("_Py_IsImmortal\0_Py_TryIncrefFast\0_Py_TryIncref\0"sv), Reader::kHelps);
}

TEST(LockFreeReadsTest, AnyOtherReaderIsNone) {
  EXPECT_EQ(ClassifyReader("_Py_atomic_load_uint32_relaxed\0Py_INCREF\0list_append\0"sv), Reader::kOther);
  EXPECT_EQ(ClassifyReader("_Py_TryIncrefFast\0_Py_TryIncref\0PyUnstable_TryIncRef\0"sv), Reader::kOther);
  EXPECT_EQ(ClassifyReader("node_get_next\0_Py_TryIncrefCompare\0"sv), Reader::kOther);
  EXPECT_EQ(ClassifyReader("??\0"sv), Reader::kOther);
}

#if defined(REFQUAKE_ASAN)
// Built as the interpreter is (-fsanitize-recover=address), under the names of its functions.
extern "C" {
__attribute__((noinline)) int _Py_TryIncrefCompare_read(const volatile int* p) { return *p; }
__attribute__((noinline)) int _Py_IsImmortal_read(const volatile int* p) { return *p; }
__attribute__((noinline)) int _Py_TryXGet_by_helper(const volatile int* p) { return _Py_IsImmortal_read(p) + 1; }
__attribute__((noinline)) int PyUnstable_TryIncRef_by_helper(const volatile int* p) {
  return _Py_IsImmortal_read(p) + 2;
}
__attribute__((noinline)) int list_append_read(const volatile int* p) { return *p; }
}

const int* Poisoned() {
  alignas(8) static int value[2] = {40, 40};
  __asan_poison_memory_region(value, sizeof(value));
  return value;
}

TEST(LockFreeReadsAsanTest, WhoTriesMayReadFreedMemory) {
  EXPECT_EXIT(_exit(_Py_TryIncrefCompare_read(Poisoned())), testing::ExitedWithCode(40), "");
  EXPECT_EXIT(_exit(_Py_TryXGet_by_helper(Poisoned())), testing::ExitedWithCode(41), "");
}

TEST(LockFreeReadsAsanTest, NobodyElseMay) {
  EXPECT_DEATH(list_append_read(Poisoned()), "use-after-poison(.|\n)*#0 .*in list_append_read");
  EXPECT_DEATH(PyUnstable_TryIncRef_by_helper(Poisoned()), "use-after-poison(.|\n)*#1 .*in PyUnstable_TryIncRef_by");
}
#endif

}  // namespace
}  // namespace refquake
