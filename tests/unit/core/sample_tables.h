// Op tables for the tests of core.
#ifndef REFQUAKE_TESTS_UNIT_CORE_SAMPLE_TABLES_H_
#define REFQUAKE_TESTS_UNIT_CORE_SAMPLE_TABLES_H_

#include "core/op_table.h"

namespace refquake {

// What discovery finds in a small module with a linked node.
inline OpTable NodeTable() {
  OpTable table("node");
  int node = table.AddType("Node");
  table.Add({.form = Form::kCall, .kind = OpKind::kCreate, .name = "Node", .has_result = true, .result_type = node});
  table.Add({.form = Form::kGet, .kind = OpKind::kRead, .name = "next", .has_result = true, .owners = {node}});
  table.Add({.form = Form::kSet, .kind = OpKind::kLink, .name = "next", .owners = {node}});
  table.Add({.form = Form::kDelete, .kind = OpKind::kUnlink, .name = "next", .owners = {node}});
  table.Add({.form = Form::kMethod, .kind = OpKind::kLink, .name = "push", .nargs = 2, .owners = {node}});
  table.Add({.form = Form::kMethod,
             .kind = OpKind::kUnlink,
             .name = "pop",
             .nargs = 1,
             .has_result = true,
             .owners = {node},
             .result_type = node});
  table.Add({.form = Form::kCall, .kind = OpKind::kRead, .name = "len", .nargs = 1, .has_result = true});
  table.Add({.form = Form::kCall, .kind = OpKind::kCollect, .name = "gc.collect"});
  table.Add({.form = Form::kCopy, .kind = OpKind::kCopy});
  table.Add({.form = Form::kDrop, .kind = OpKind::kDrop});
  table.AddValue({.text = "None", .immortal = true});
  table.AddValue({.text = "10**40"});
  table.AddValue({.text = "Node()", .type = node});
  return table;
}

// Names and values that look like something else.
inline OpTable NastyTable() {
  OpTable table("pkg.sub_module");
  int node = table.AddType("Node");
  for (const char* name : {"Node", "gc.collect", "f", "pass", "phase", "lane", "target", "del_", "_x", "aa.b", "é.ü"}) {
    for (uint8_t n = 0; n <= kMaxArgs; ++n) {
      table.Add({.form = Form::kCall, .name = name, .nargs = n, .has_result = n % 2 == 0, .result_type = node});
    }
  }
  for (const char* name : {"a", "del", "pass", "next", "__init__", "x.y"}) {
    for (uint8_t n = 1; n <= kMaxArgs; ++n) {
      table.Add({.form = Form::kMethod, .name = name, .nargs = n, .has_result = n % 2 == 0, .owners = {node}});
    }
    table.Add({.form = Form::kGet, .name = name, .has_result = true});
    table.Add({.form = Form::kSet, .name = name});
    table.Add({.form = Form::kDelete, .name = name});
  }
  table.Add({.form = Form::kCopy, .kind = OpKind::kCopy});
  table.Add({.form = Form::kDrop, .kind = OpKind::kDrop});
  for (const char* text : {"None",
                           "10**40",
                           "\"text\"",
                           "'it\\'s'",
                           "\"a, b) # c\"",
                           "b\"\\x00\"",
                           "()",
                           "[1]",
                           "{1: [2, (3,)]}",
                           "Value()",
                           "Node()",
                           "-1",
                           "1.5e300",
                           "aa",
                           "lambda: 0",
                           "f(x=1)",
                           "'é'",
                           "\"\"\"doc\"\"\"",
                           "q",
                           "not a",
                           "a.b",
                           "..."}) {
    table.AddValue({.text = text});
  }
  return table;
}

}  // namespace refquake

#endif  // REFQUAKE_TESTS_UNIT_CORE_SAMPLE_TABLES_H_
