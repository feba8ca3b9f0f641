// What discovery leaves out: functions and methods that reach outside the process, block, or end it.
//
//   DenyList deny({"deque.rotate"});          // the user's own, beside the defaults
//   deny.Denies("os.system")                  // true
//   deny.Denies("deque.rotate")               // true
//   deny.DeniesCall("deque.rotate(2**70)")    // false: no such call is in the user's own list
//
// Contract: names are "FUNCTION", "TYPE.METHOD" or "TYPE"; a call is written as trials name it; a default without a dot
// matches the last part.
#ifndef REFQUAKE_PYTHON_DISCOVER_DENY_H_
#define REFQUAKE_PYTHON_DISCOVER_DENY_H_

#include <set>
#include <string>
#include <vector>

namespace refquake {

class DenyList {
 public:
  explicit DenyList(const std::vector<std::string>& more) : own_(more.begin(), more.end()) {}
  bool Denies(const std::string& name) const;
  // Of one call with these arguments: the others are tried.
  bool DeniesCall(const std::string& text) const { return own_.contains(text); }

 private:
  std::set<std::string> own_;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_DENY_H_
