#include "python/history.h"

#include <algorithm>
#include <tuple>

#include "core/text.h"

namespace refquake {
namespace {

constexpr size_t kMaxLines = 12;

const OpTable* g_table = nullptr;
std::span<const LaneLog> g_logs;

bool Touches(const OpTrace& trace, const void* object) {
  return trace.result == object || std::find(trace.args.begin(), trace.args.end(), object) != trace.args.end();
}

// All traced ops that touched the object since it was last created, in the program's order.
std::vector<const OpTrace*> Touching(const void* object) {
  std::vector<const OpTrace*> found;
  for (const LaneLog& log : g_logs) {
    for (const OpTrace& trace : log.trace) {
      if (Touches(trace, object)) found.push_back(&trace);
    }
  }
  std::sort(found.begin(), found.end(), [](const OpTrace* a, const OpTrace* b) {
    return std::tie(a->place.phase, a->place.lane, a->place.op) < std::tie(b->place.phase, b->place.lane, b->place.op);
  });
  auto last_birth = std::find_if(found.rbegin(), found.rend(), [&](const OpTrace* trace) {
    return trace->result == object && g_table->op(trace->op->op).kind == OpKind::kCreate;
  });
  if (last_birth != found.rend()) found.erase(found.begin(), std::prev(last_birth.base()));
  return found;
}

// Values among the op's arguments whose count nothing changes.
int ImmortalArguments(const OpTrace& trace) {
  int immortal = 0;
  for (size_t i = 0; i < g_table->op(trace.op->op).nargs; ++i) {
    const Arg arg = trace.op->args[i];
    if (!arg.is_slot()) immortal += g_table->values()[static_cast<size_t>(arg.value())].immortal;
  }
  return immortal;
}

const OpSpec& SpecOf(const OpTrace& trace) { return g_table->op(trace.op->op); }

}  // namespace

void SetHistory(const OpTable* table, std::span<const LaneLog> logs) {
  g_table = table;
  g_logs = logs;
}

std::vector<std::string> HistoryOf(const void* object) {
  std::vector<std::string> lines;
  if (!g_table) return lines;
  const std::vector<const OpTrace*> touching = Touching(object);
  int immortal = 0;
  for (const OpTrace* trace : touching) immortal += ImmortalArguments(*trace);
  for (size_t i = 0; i < touching.size(); ++i) {
    if (touching.size() > kMaxLines && i >= kMaxLines / 2 && i < touching.size() - kMaxLines / 2) continue;
    const OpTrace& trace = *touching[i];
    lines.push_back("phase " + std::to_string(trace.place.phase + 1) + " lane " + std::to_string(trace.place.lane) +
                    ": " + PrintOp(*trace.op, *g_table));
  }
  if (immortal > 0) {
    lines.push_back("note: " + std::to_string(immortal) +
                    " immortal argument(s) above: a wrong count of those does not show (masked by immortality)");
  }
  return lines;
}

std::string LinkBetween(PyObject* holder, PyObject* object) {
  std::string name;
  if (!g_table) return name;
  for (const OpTrace* trace : Touching(object)) {
    const bool has_argument = std::find(trace->args.begin() + 1, trace->args.end(), object) != trace->args.end();
    if (trace->args[0] == holder && has_argument) name = SpecOf(*trace).name;
  }
  return name;
}

std::string LastCallOn(PyObject* object) {
  std::string name;
  if (!g_table) return name;
  for (const OpTrace* trace : Touching(object)) {
    if (!SpecOf(*trace).name.empty() && trace->outcome == Outcome::kOk) name = SpecOf(*trace).name;
  }
  return name;
}

}  // namespace refquake
