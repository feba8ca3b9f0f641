// Each oracle finds its fault in a small broken type, and nothing in the correct one. Each case runs in a
// child: an interpreter is started once per process, and a finding ends it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "core/text.h"
#include "faulty_type.h"
#include "python/discover.h"
#include "python/executor.h"
#include "python/interpreter.h"
#include "python/oracles/legal_exceptions.h"
#include "python/report.h"

namespace refquake {
namespace {

constexpr int kNothingFound = 0;
constexpr int kFinding = 77;
constexpr int kCouldNotRun = 3;

constexpr char kProgram[] = R"(target: faulty
phase:
    lane:
        a = Pair()
        del a
        a = Pair()
        b = Pair()
        a.other = b
        c = a.other
        d = weakref.ref(a)
        a.attribute = Value()
phase:
    lane:
        del b
        del c
        del a
        e = Pair()
        e.other = e
)";

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  _exit(kCouldNotRun);
}

void SetAttributeOp(Target& target) {
  // Discovery offers descriptors; a managed dict's attributes are set by name.
  target.AddOp({.form = Form::kSet, .kind = OpKind::kLink, .name = "attribute"},
               PyUnicode_InternFromString("attribute"));
}

[[noreturn]] void RunWith(Fault fault) {
  RegisterFaulty(fault);
  if (auto error = StartInterpreter({.home = REFQUAKE_DEFAULT_HOME})) Fail(*error);
  static Target target;
  if (auto error = Discover("faulty", {}, target)) Fail(error->message);
  SetAttributeOp(target);
  ParsedText parsed = ParseText(kProgram, target.table);
  if (parsed.error) Fail(parsed.error->ToString("program"));
  target.WatchTypes();
  SettleInterpreter();
  SetReportSink([](const Finding& finding) {
    std::fprintf(stderr, "SUMMARY: %s\n", finding.Summary().c_str());
    _exit(kFinding);
  });
  static Executor executor(target, {});
  ArmFault();
  executor.Run(parsed.program);
  _exit(kNothingFound);
}

struct Case {
  Fault fault;
  const char* summary;
};

class OraclesTest : public testing::TestWithParam<Case> {};

TEST_P(OraclesTest, FindsTheFault) {
  EXPECT_EXIT(RunWith(GetParam().fault), testing::ExitedWithCode(kFinding), GetParam().summary);
}

INSTANTIATE_TEST_SUITE_P(Faults, OraclesTest,
                         testing::Values(Case{Fault::kFreedTwice, "SUMMARY: wrong-free faulty.Pair"},
                                         Case{Fault::kWrongFreeSlot, "SUMMARY: wrong-free faulty.Pair"},
                                         Case{Fault::kDictLeft, "SUMMARY: dict-left faulty.Pair"},
                                         Case{Fault::kWeakrefsLeft, "SUMMARY: weakrefs-left faulty.Pair"},
                                         Case{Fault::kExceptionLost, "SUMMARY: lost-exception faulty.Pair"},
                                         Case{Fault::kFinalizerSkipped, "SUMMARY: finalizer-skipped faulty.Pair"},
                                         Case{Fault::kTypeKept, "SUMMARY: type-reference-kept faulty.Pair"},
                                         Case{Fault::kTypeDroppedEarly, "SUMMARY: type-reference-early faulty.Pair"},
                                         Case{Fault::kUntrackMissing, "SUMMARY: still-tracked-at-free faulty.Pair"},
                                         Case{Fault::kUntrackLate, "SUMMARY: still-tracked-in-dealloc faulty.Pair"},
                                         Case{Fault::kTypeNotVisited, "SUMMARY: type-not-visited faulty.Pair"},
                                         Case{Fault::kTypeVisitedTwice, "SUMMARY: type-visited-twice faulty.Pair"},
                                         Case{Fault::kTraverseCounts, "SUMMARY: traverse-side-effect faulty.Pair"},
                                         Case{Fault::kMemberNotVisited, "SUMMARY: missed-visit faulty.Pair other"},
                                         Case{Fault::kMemberVisitedTwice, "SUMMARY: extra-visit faulty.Pair other"},
                                         Case{Fault::kMemberNotOwned, "SUMMARY: missing-incref faulty.Pair other"},
                                         Case{Fault::kReferenceLeaked, "SUMMARY: leaked-reference faulty.Pair other"},
                                         Case{Fault::kNotCleared, "SUMMARY: leaked-instance faulty.Pair"},
                                         Case{Fault::kNeverTracked, "SUMMARY: never-tracked faulty.Pair"}),
                         [](const testing::TestParamInfo<Case>& info) {
                           return std::to_string(static_cast<int>(info.param.fault));
                         });

#ifndef Py_DEBUG  // a debug build aborts by itself when an attribute fails without an exception
TEST(OraclesReleaseTest, FindsAFailureWithoutException) {
  EXPECT_EXIT(RunWith(Fault::kErrorNotSet), testing::ExitedWithCode(kFinding), "SUMMARY: bad-return faulty.Pair other");
}
#endif

#if __has_feature(address_sanitizer)
TEST(OraclesAsanTest, FindsWhatIsNotFreed) {
  EXPECT_EXIT(RunWith(Fault::kNoFree), testing::ExitedWithCode(kFinding), "SUMMARY: no-free faulty.Pair");
}
#endif

TEST(OraclesCleanTest, AreSilentOnTheCorrectType) {
  EXPECT_EXIT(RunWith(Fault::kNone), testing::ExitedWithCode(kNothingFound), "");
}

TEST(LegalExceptionsTest, NameAKindAndAType) {
  EXPECT_TRUE(IsLegal("leaked-type", "builtins.list"));
  EXPECT_FALSE(IsLegal("leaked-reference", "builtins.list"));
  EXPECT_FALSE(IsLegal("leaked-type", "node.Node"));
}

}  // namespace
}  // namespace refquake
