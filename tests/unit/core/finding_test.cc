#include "core/finding.h"

#include <gtest/gtest.h>

namespace refquake {
namespace {

constexpr char kProgram[] = "target: node\nphase:\n    lane:\n        a = Node()\n";

Finding Example() {
  return {.kind = "missed-visit",
          .type = "node.Node",
          .member = "children",
          .what = "member not visited",
          .expected = "2 references (1 slot, 1 visit)",
          .found = "3",
          .history = {"phase 1 lane 0: a = Node()", "phase 1 lane 0: del a"},
          .rule = "tp_traverse must call Py_VISIT on every member (CPython: Supporting Cyclic GC)",
          .hint = "add a Py_VISIT"};
}

TEST(Finding, SummaryIsTheSignature) {
  EXPECT_EQ(Example().Summary(), "missed-visit node.Node children");
  Finding finding = Example();
  finding.member.clear();
  EXPECT_EQ(finding.Summary(), "missed-visit node.Node");
}

TEST(Finding, PrintsTheDocumentedBlock) {
  EXPECT_EQ(PrintFinding(Example(), {"1", "free", kProgram, "out/crash-0123456789abcdef"}),
            "==refquake== ERROR: missed-visit: node.Node: member not visited\n"
            "==refquake==   type:     node.Node\n"
            "==refquake==   member:   children\n"
            "==refquake==   expected: 2 references (1 slot, 1 visit)\n"
            "==refquake==   found:    3\n"
            "==refquake==   history:  phase 1 lane 0: a = Node()\n"
            "==refquake==   history:  phase 1 lane 0: del a\n"
            "==refquake==   rule:     tp_traverse must call Py_VISIT on every member (CPython: Supporting Cyclic GC)\n"
            "==refquake==   hint:     add a Py_VISIT\n"
            "==refquake==   phase:    1\n"
            "==refquake==   schedule: free\n"
            "==refquake== PROGRAM:\n"
            "target: node\nphase:\n    lane:\n        a = Node()\n"
            "==refquake== ARTEFACT: out/crash-0123456789abcdef\n"
            "==refquake== SUMMARY: missed-visit node.Node children\n");
}

TEST(Finding, LeavesEmptyFieldsOut) {
  EXPECT_EQ(PrintFinding({.kind = "no-free", .type = "node.Node"}, {}),
            "==refquake== ERROR: no-free: node.Node\n"
            "==refquake==   type:     node.Node\n"
            "==refquake== SUMMARY: no-free node.Node\n");
}

TEST(Finding, WhatTheTargetSaysCannotForgeALine) {
  Finding finding = Example();
  finding.found = "3\n==refquake== SUMMARY: other\x1b[2J";
  finding.what = "bad\r\nrepr";
  std::string report = PrintFinding(finding, {.schedule = "free", .program = "target: node"});
  EXPECT_NE(report.find("  found:    3 ==refquake== SUMMARY: other [2J\n"), std::string::npos) << report;
  EXPECT_NE(report.find("ERROR: missed-visit: node.Node: bad  repr\n"), std::string::npos) << report;
  EXPECT_NE(report.find("PROGRAM:\ntarget: node\n==refquake== SUMMARY"), std::string::npos) << report;
}

}  // namespace
}  // namespace refquake
