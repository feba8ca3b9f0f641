#include "python/living.h"

namespace refquake {

void Living::Apply(std::span<const BirthOrDeath> events) {
  for (const BirthOrDeath& event : events) {
    Count& count = counts_[event.object];
    if (event.birth && count.alive <= 0) count.old = false;
    count.alive += event.birth ? 1 : -1;
  }
}

void Living::Settle() {
  alive_ = 0;
  for (auto& entry : counts_) {
    if (entry.value.alive < 0) entry.value.alive = 0;
    alive_ += entry.value.alive;
  }
}

bool Living::Adopt(PyObject* object) {
  Count& count = counts_[object];
  if (count.alive > 0) return false;
  count = {.alive = 1, .old = false};
  ++alive_;
  return true;
}

void Living::List(std::vector<PyObject*>& instances) {
  instances.clear();
  for (auto& entry : counts_) {
    if (entry.value.alive > 0) instances.push_back(static_cast<PyObject*>(const_cast<void*>(entry.key)));
  }
}

void Living::NextRun() {
  List(survivors_);
  counts_.Clear();
  for (PyObject* object : survivors_) counts_[object] = {.alive = 1, .old = true};
  alive_ = static_cast<int64_t>(survivors_.size());
}

bool Living::AnyNew() {
  for (auto& entry : counts_) {
    if (entry.value.alive > 0 && !entry.value.old) return true;
  }
  return false;
}

}  // namespace refquake
