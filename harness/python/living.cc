#include "python/living.h"

namespace refquake {

void Living::Apply(std::span<const BirthOrDeath> events) {
  for (const BirthOrDeath& event : events) {
    Count& count = counts_[event.object];
    if (event.birth && count.alive <= 0) count.old = false;
    count.accepted = 0;  // another instance has the address, or none
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
  accepted_.clear();
  for (PyObject* object : survivors_) accepted_.push_back(counts_[object].accepted);
  counts_.Clear();
  for (size_t i = 0; i < survivors_.size(); ++i) {
    counts_[survivors_[i]] = {.alive = 1, .old = true, .accepted = accepted_[i]};
  }
  alive_ = static_cast<int64_t>(survivors_.size());
}

Py_ssize_t Living::Accepted(PyObject* object) {
  const Count* count = counts_.Find(object);
  return count && count->old ? count->accepted : 0;
}

void Living::Accept(PyObject* object, Py_ssize_t references) {
  if (Count* count = counts_.Find(object)) count->accepted = references;
}

bool Living::AnyNew() {
  for (auto& entry : counts_) {
    if (entry.value.alive > 0 && !entry.value.old) return true;
  }
  return false;
}

}  // namespace refquake
