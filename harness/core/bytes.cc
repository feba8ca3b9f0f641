#include "core/bytes.h"

#include <algorithm>

namespace refquake {
namespace {

constexpr uint8_t kLaneBits = 0x07;
constexpr uint8_t kSwitchBit = 0x40;
constexpr uint8_t kBarrierBit = 0x80;

uint16_t Read16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | p[1] << 8); }

void DecodeSchedule(std::span<const uint8_t> bytes, Schedule& schedule) {
  schedule.switches.clear();
  schedule.policy = Policy::kFree;
  schedule.depth = 0;
  schedule.seed = 0;
  if (bytes.size() < kHeaderBytes) return;
  schedule.policy = static_cast<Policy>(bytes[0] % kPolicies);
  if (schedule.policy == Policy::kPct) schedule.depth = std::max<uint8_t>(bytes[1], 1);
  if (schedule.policy == Policy::kPct || schedule.policy == Policy::kRandom) {
    schedule.seed = Read16(&bytes[2]) | static_cast<uint32_t>(Read16(&bytes[4])) << 16;
  }
}

// Fills a program's phases front to back, keeping the vectors it finds there for their storage.
class PhaseWriter {
 public:
  explicit PhaseWriter(std::vector<Phase>& phases) : phases_(phases) {}

  void Barrier() {
    if (phase_ops_ == 0) return;
    Close();
    ++count_;
    phase_ops_ = 0;
  }

  void Append(size_t lane, const Op& op) {
    if (phase_ops_ == 0) Open();
    std::vector<Lane>& lanes = phases_[count_].lanes;
    if (lanes.size() <= lane) lanes.resize(lane + 1);
    lanes[lane].push_back(op);
    ++phase_ops_;
    ++ops_;
  }

  size_t ops() const { return ops_; }

  void Finish() {
    Barrier();
    phases_.resize(count_);
  }

 private:
  void Open() {
    if (count_ == phases_.size()) phases_.emplace_back();
    for (Lane& lane : phases_[count_].lanes) lane.clear();
  }

  void Close() {
    std::vector<Lane>& lanes = phases_[count_].lanes;
    while (lanes.back().empty()) lanes.pop_back();
  }

  std::vector<Phase>& phases_;
  size_t count_ = 0;      // finished phases
  size_t phase_ops_ = 0;  // in the phase being filled
  size_t ops_ = 0;
};

Op DecodeOp(const uint8_t* entry, const OpTable& table) {
  Op op;
  op.op = Read16(entry + 1);
  op.dst = entry[3];
  for (size_t i = 0; i < kMaxArgs; ++i) op.args[i].code = entry[4 + i];
  CanonicalizeOp(op, table);
  return op;
}

void AppendOp(std::vector<uint8_t>& out, size_t lane, bool barrier, const Op& op) {
  out.push_back(static_cast<uint8_t>(lane | (barrier ? kBarrierBit : 0)));
  out.push_back(static_cast<uint8_t>(op.op));
  out.push_back(static_cast<uint8_t>(op.op >> 8));
  out.push_back(op.dst);
  for (Arg arg : op.args) out.push_back(arg.code);
}

void AppendSwitch(std::vector<uint8_t>& out, const Switch& s) {
  out.insert(out.end(),
             {kSwitchBit, static_cast<uint8_t>(s.step), static_cast<uint8_t>(s.step >> 8), s.lane, 0, 0, 0, 0});
}

}  // namespace

void DecodeBytes(std::span<const uint8_t> bytes, const OpTable& table, const DecodeLimits& limits, Program& program) {
  DecodeSchedule(bytes, program.schedule);
  PhaseWriter writer(program.phases);
  auto lanes = static_cast<uint8_t>(std::clamp(limits.max_lanes, 1, kMaxLanes));
  std::vector<Switch>& switches = program.schedule.switches;
  for (size_t pos = kHeaderBytes; pos + kInstructionBytes <= bytes.size(); pos += kInstructionBytes) {
    const uint8_t* entry = &bytes[pos];
    if (entry[0] & kSwitchBit) {
      bool wanted = program.schedule.policy == Policy::kReplay && switches.size() < kMaxSwitches;
      if (wanted) switches.push_back({Read16(entry + 1), static_cast<uint8_t>(entry[3] % lanes)});
    } else if (writer.ops() < kMaxOps && !table.ops().empty()) {
      if (entry[0] & kBarrierBit) writer.Barrier();
      writer.Append((entry[0] & kLaneBits) % lanes, DecodeOp(entry, table));
    }
  }
  writer.Finish();
  DropDeadSwitches(switches);
}

std::vector<uint8_t> EncodeBytes(const Program& program) {
  const Schedule& schedule = program.schedule;
  std::vector<uint8_t> out;
  out.reserve(kHeaderBytes + kInstructionBytes * (schedule.switches.size() + program.NumOps()));
  out.push_back(static_cast<uint8_t>(schedule.policy));
  out.push_back(schedule.depth);
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<uint8_t>(schedule.seed >> shift));
  out.insert(out.end(), {0, 0});
  for (const Switch& s : schedule.switches) AppendSwitch(out, s);
  bool barrier = false;
  for (const Phase& phase : program.phases) {
    for (size_t lane = 0; lane < phase.lanes.size(); ++lane) {
      for (const Op& op : phase.lanes[lane]) {
        AppendOp(out, lane, barrier, op);
        barrier = false;
      }
    }
    barrier = true;
  }
  return out;
}

}  // namespace refquake
