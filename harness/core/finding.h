// A finding: what an oracle saw, as pure data.
//
//   Finding f{.kind = "missed-visit", .type = "node.Node", .member = "left", .what = "..."};
//   f.Summary();                                   // "missed-visit node.Node left"
//   PrintFinding(f, {"3", "free", text, path});     // the report block of docs/architecture.md
//
// Contract: kind, type and member together are the signature: no spaces within any of them.
#ifndef REFQUAKE_CORE_FINDING_H_
#define REFQUAKE_CORE_FINDING_H_

#include <string>
#include <string_view>
#include <vector>

namespace refquake {

struct Finding {
  std::string kind;    // "still-tracked-at-free"
  std::string type;    // "node.Node"
  std::string member;  // attribute or method, where known
  std::string what;    // one clause: what is wrong
  std::string expected;
  std::string found;
  std::vector<std::string> history;  // ops that touched the instance, oldest first
  std::string rule;                  // what must hold, with its source
  std::string hint;                  // how to mend it

  std::string Summary() const;
};

struct Evidence {
  std::string phase;  // in or after which it was seen: "3", from 1, or "end"
  std::string schedule;
  std::string program;  // as text
  std::string artefact;
};

// Empty fields are left out.
std::string PrintFinding(const Finding& finding, const Evidence& evidence);

}  // namespace refquake

#endif  // REFQUAKE_CORE_FINDING_H_
