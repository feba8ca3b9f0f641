#include "driver/feedback.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace refquake {
namespace {

constexpr uint32_t kOutcomes = 1u << 12;    // (op, outcome)
constexpr uint32_t kCollisions = 1u << 13;  // (op, op) of two lanes on one object

// libFuzzer counts the sections of this name as features of their own.
__attribute__((section("__libfuzzer_extra_counters"))) uint8_t g_outcomes[kOutcomes];
__attribute__((section("__libfuzzer_extra_counters"))) uint8_t g_collisions[kCollisions];

uint32_t Mix(uint32_t a, uint32_t b) { return (a * 0x9e3779b1u) ^ (b * 0x85ebca6bu); }

void Bump(uint8_t& counter) { counter = counter == UINT8_MAX ? counter : static_cast<uint8_t>(counter + 1); }

struct Touch {
  const void* object;
  int16_t phase;
  int16_t lane;
  uint16_t op;
};

void CountCollisions(std::vector<Touch>& touches) {
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return std::tie(a.phase, a.object, a.lane, a.op) < std::tie(b.phase, b.object, b.lane, b.op);
  });
  for (size_t i = 0; i + 1 < touches.size(); ++i) {
    const Touch& a = touches[i];
    for (size_t j = i + 1; j < touches.size(); ++j) {
      const Touch& b = touches[j];
      if (b.phase != a.phase || b.object != a.object) break;
      if (b.lane != a.lane) g_collisions[Mix(a.op, b.op) % kCollisions] = 1;
    }
  }
}

}  // namespace

void CountFeedback(std::span<const LaneLog> logs) {
  static std::vector<Touch> touches;  // its storage is reused
  touches.clear();
  for (const LaneLog& log : logs) {
    for (const OpTrace& trace : log.trace) {
      Bump(g_outcomes[Mix(trace.op->op, static_cast<uint32_t>(trace.outcome)) % kOutcomes]);
      if (log.alone) continue;
      for (const PyObject* object : trace.args) {
        if (object) touches.push_back({object, trace.place.phase, trace.place.lane, trace.op->op});
      }
    }
  }
  CountCollisions(touches);
}

}  // namespace refquake
