// Per-op outcomes of a campaign: how often each op succeeded, raised, or found no fitting object.
//
//   OpStats stats("ops.tsv", table);
//   stats.Count(executor.logs());            // after each run
//
// The file is text, one op a line: ok, errors, skipped, form, name, number of arguments, separated by tabs. It
// is written beside, then renamed, now and then; what the last seconds did may be missing.
#ifndef REFQUAKE_DRIVER_OP_STATS_H_
#define REFQUAKE_DRIVER_OP_STATS_H_

#include <chrono>
#include <string>
#include <vector>

#include "core/op_table.h"
#include "python/lane_log.h"

namespace refquake {

class OpStats {
 public:
  OpStats(std::string path, const OpTable& table)
      : path_(std::move(path)), table_(table), counts_(table.ops().size()) {}

  void Count(const std::vector<LaneLog>& logs);

 private:
  struct Counts {
    uint64_t ok = 0;
    uint64_t errors = 0;
    uint64_t skipped = 0;
  };
  void Write();

  std::string path_;
  const OpTable& table_;
  std::vector<Counts> counts_;
  uint64_t runs_ = 0;
  std::chrono::steady_clock::time_point next_write_{};
};

}  // namespace refquake

#endif  // REFQUAKE_DRIVER_OP_STATS_H_
