// What discovery leaves out: functions and methods that reach outside the process, block, or end it.
//
//   DenyList deny({"deque.rotate"});          // the user's own, beside the defaults
//   deny.Denies("os.system")                  // true
//   deny.Denies("deque.rotate")               // true
//
// Contract: names are "FUNCTION", "TYPE.METHOD" or "TYPE"; a default without a dot matches the last part.
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

 private:
  std::set<std::string> own_;
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_DISCOVER_DENY_H_
