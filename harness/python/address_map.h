// AddressMap<T>: a small hash map keyed by address, made to be filled and emptied once per program.
//
//   AddressMap<Counts> counts;
//   ++counts[object].visits;
//   for (auto& entry : counts) ...        // in order of first insertion
//   counts.Clear();                       // keeps its storage
//
// Contract: no erase; pointers into it are invalidated by the next insertion.
#ifndef REFQUAKE_PYTHON_ADDRESS_MAP_H_
#define REFQUAKE_PYTHON_ADDRESS_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace refquake {

template <typename T>
class AddressMap {
 public:
  struct Entry {
    const void* key;
    T value;
  };

  AddressMap() : buckets_(kMinBuckets, 0) {}

  T& operator[](const void* key) {
    size_t bucket = Probe(key);
    if (buckets_[bucket] == 0) {
      if ((entries_.size() + 1) * 2 > buckets_.size()) {
        Grow();
        bucket = Probe(key);
      }
      entries_.push_back({key, T{}});
      buckets_[bucket] = static_cast<uint32_t>(entries_.size());
    }
    return entries_[buckets_[bucket] - 1].value;
  }

  T* Find(const void* key) {
    const uint32_t index = buckets_[Probe(key)];
    return index == 0 ? nullptr : &entries_[index - 1].value;
  }

  void Clear() {
    for (const Entry& entry : entries_) {
      // Emptying by key costs what was filled, not what there is room for.
      size_t bucket = Hash(entry.key) & (buckets_.size() - 1);
      while (buckets_[bucket] != 0) {
        buckets_[bucket] = 0;
        bucket = (bucket + 1) & (buckets_.size() - 1);
      }
    }
    entries_.clear();
  }

  size_t size() const { return entries_.size(); }
  Entry& at(size_t index) { return entries_[index]; }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  static constexpr size_t kMinBuckets = 256;  // a power of two

  static size_t Hash(const void* key) {
    uint64_t x = reinterpret_cast<uintptr_t>(key);
    x = (x >> 4) * 0x9E3779B97F4A7C15ull;
    return x >> 32;
  }
  size_t Probe(const void* key) const {
    size_t bucket = Hash(key) & (buckets_.size() - 1);
    while (buckets_[bucket] != 0 && entries_[buckets_[bucket] - 1].key != key) {
      bucket = (bucket + 1) & (buckets_.size() - 1);
    }
    return bucket;
  }
  void Grow() {
    std::vector<uint32_t> old(buckets_.size() * 2, 0);
    buckets_.swap(old);
    for (size_t i = 0; i < entries_.size(); ++i) {
      size_t bucket = Hash(entries_[i].key) & (buckets_.size() - 1);
      while (buckets_[bucket] != 0) bucket = (bucket + 1) & (buckets_.size() - 1);
      buckets_[bucket] = static_cast<uint32_t>(i + 1);
    }
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> buckets_;  // index into entries_ plus one; 0 is free
};

}  // namespace refquake

#endif  // REFQUAKE_PYTHON_ADDRESS_MAP_H_
