#include "python/lane_log.h"

namespace refquake {
namespace {

thread_local LaneLog* t_log = nullptr;

LaneLog& Unread() {
  thread_local LaneLog unread;
  unread.events.clear();
  unread.unfreed.clear();
  unread.alone = false;
  return unread;
}

}  // namespace

void LaneLog::Bind(LaneLog* log) {
  log->judged = true;
  t_log = log;
}

LaneLog& LaneLog::Mine() { return t_log ? *t_log : Unread(); }

}  // namespace refquake
