#include "driver/feedback.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <tuple>
#include <vector>

#include "core/digraph.h"
#include "driver/name_list.h"
#include "python/address_map.h"
#include "python/free_threading.h"

namespace refquake {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"outcomes", "collisions", "shapes", "counts"};
constexpr uint32_t kOutcomes = 1u << 12;    // (op, outcome)
constexpr uint32_t kCollisions = 1u << 13;  // (op, op) of two lanes on one object
constexpr uint32_t kShapes = 1u << 12;      // (type, kind of shape, bucket)
constexpr uint32_t kCounts = 1u << 11;      // (type, bucket)

// libFuzzer counts the sections of this name as features of their own. Used: nothing here reads them, so the optimiser
// would drop what is only written.
__attribute__((used, section("__libfuzzer_extra_counters"))) uint8_t g_outcomes[kOutcomes];
__attribute__((used, section("__libfuzzer_extra_counters"))) uint8_t g_collisions[kCollisions];
__attribute__((used, section("__libfuzzer_extra_counters"))) uint8_t g_shapes[kShapes];
__attribute__((used, section("__libfuzzer_extra_counters"))) uint8_t g_counts[kCounts];

// A graph this large is not looked at: a chain of 100,000 has no more shapes than one of 100.
constexpr size_t kMaxNodes = 1000;

uint32_t Mix(uint32_t a, uint32_t b) { return (a * 0x9e3779b1u) ^ (b * 0x85ebca6bu); }

void Bump(uint8_t& counter) { counter = counter == UINT8_MAX ? counter : static_cast<uint8_t>(counter + 1); }

// 0, 1, 2, 3 to 4, 5 to 8, ...
uint32_t Bucket(int number) { return number <= 0 ? 0 : std::bit_width(static_cast<uint32_t>(number) - 1) + 1u; }

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

// Nodes by the order in which the graph holds them.
Digraph NumberNodes(ObjectGraph& graph) {
  AddressMap<int> numbers;
  Digraph digraph;
  for (const auto& entry : graph.nodes()) {
    if (entry.value.slots > 0) digraph.roots.push_back(digraph.nodes);
    numbers[entry.key] = digraph.nodes++;
  }
  struct Holder {
    AddressMap<int>* numbers;
    Digraph* digraph;
    int number = 0;
  } holder{&numbers, &digraph};
  for (const auto& entry : graph.nodes()) {
    auto* object = static_cast<PyObject*>(const_cast<void*>(entry.key));
    if (entry.value.reached && Py_TYPE(object)->tp_traverse) {
      Py_TYPE(object)->tp_traverse(
          object,
          [](PyObject* child, void* arg) {
            const auto* from = static_cast<Holder*>(arg);
            if (const int* to = from->numbers->Find(child)) from->digraph->edges.emplace_back(from->number, *to);
            return 0;
          },
          &holder);
    }
    ++holder.number;
  }
  return digraph;
}

}  // namespace

std::optional<FeedbackMask> ParseFeedback(std::string_view names) {
  if (names == "none") return FeedbackMask{0};
  return MaskOfNames(names, [](std::string_view name) -> std::optional<std::ptrdiff_t> {
    const auto* const found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return found - kNames.begin();
  });
}

void Feedback::CountRun(std::span<const LaneLog> logs) const {
  // Mostly, and each input comes here.
  if (!Has(FeedbackPart::kOutcomes) && !Has(FeedbackPart::kCollisions)) return;
  static std::vector<Touch> touches;  // its storage is reused
  touches.clear();
  for (const LaneLog& log : logs) {
    for (const OpTrace& trace : log.trace) {
      if (Has(FeedbackPart::kOutcomes)) {
        Bump(g_outcomes[Mix(trace.op->op, static_cast<uint32_t>(trace.outcome)) % kOutcomes]);
      }
      if (log.alone || !Has(FeedbackPart::kCollisions)) continue;
      for (const PyObject* object : trace.args) {
        if (object) touches.push_back({object, trace.place.phase, trace.place.lane, trace.op->op});
      }
    }
  }
  CountCollisions(touches);
}

void Feedback::CountPhase(ObjectGraph& graph, std::span<PyObject* const> living) const {
  if (Has(FeedbackPart::kCounts)) CountReferences(living);
  if (Has(FeedbackPart::kShapes) && graph.nodes().size() <= kMaxNodes) CountShapes(graph);
}

void Feedback::CountReferences(std::span<PyObject* const> living) const {
  for (PyObject* object : living) {
    const WatchedType* watched = target_.watch.Find(Py_TYPE(object));
    if (!watched || IsImmortal(object)) continue;
    const uint32_t bucket = Bucket(static_cast<int>(std::min<Py_ssize_t>(HeldReferences(object), 1 << 20)));
    g_counts[Mix(static_cast<uint32_t>(watched->index), bucket) % kCounts] = 1;
  }
}

void Feedback::CountShapes(ObjectGraph& graph) const {
  const std::vector<NodeShape> shapes = ShapesOf(NumberNodes(graph));
  for (size_t i = 0; i < shapes.size(); ++i) {
    auto* object = static_cast<PyObject*>(const_cast<void*>(graph.nodes().at(i).key));
    const WatchedType* watched = target_.watch.Find(Py_TYPE(object));
    if (!watched) continue;
    const auto count = [&](uint32_t kind, uint32_t bucket) {
      g_shapes[Mix(static_cast<uint32_t>(watched->index), kind << 8 | bucket) % kShapes] = 1;
    };
    count(0, Bucket(shapes[i].cycle));
    count(1, Bucket(shapes[i].parents));
    count(2, shapes[i].depth == kUnreached ? 0 : Bucket(shapes[i].depth) + 1);
  }
}

}  // namespace refquake
