#include "driver/op_stats.h"

#include "core/program.h"
#include "driver/files.h"
#include "driver/op_names.h"

namespace refquake {
namespace {

constexpr uint64_t kRunsBetweenLooks = 64;
constexpr std::chrono::seconds kBetweenWrites{1};

}  // namespace

void OpStats::Count(const std::vector<LaneLog>& logs) {
  for (const LaneLog& log : logs) {
    for (const OpTrace& trace : log.trace) {
      Counts& counts = counts_[trace.op->op];
      counts.ok += trace.outcome == Outcome::kOk;
      counts.errors += trace.outcome == Outcome::kError;
      counts.skipped += trace.outcome == Outcome::kSkipped;
    }
  }
  if (++runs_ % kRunsBetweenLooks != 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_write_) return;
  next_write_ = now + kBetweenWrites;
  Write();
}

void OpStats::Write() {
  std::string text;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const OpSpec& spec = table_.op(static_cast<int>(i));
    text += std::to_string(counts_[i].ok) + "\t" + std::to_string(counts_[i].errors) + "\t" +
            std::to_string(counts_[i].skipped) + "\t" + FormName(spec.form) + "\t" + spec.name + "\t" +
            std::to_string(spec.nargs) + "\n";
  }
  WriteFile(path_, text);
}

}  // namespace refquake
