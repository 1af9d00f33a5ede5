#pragma once
// Schedules that this thread has made before, with numbers in the places of arrays.

#include <cstdint>
#include <optional>
#include <vector>

#include "exec/evaluation/schedule_key.h"
#include "graph/schedule.h"

namespace cupola {

class KnownSchedule {
 public:
  // Of a schedule that was made of what the key is of, and of what Scheduler::add_below() returned
  // with it. Nothing where not all of it has numbers.
  static std::optional<KnownSchedule> of(const ScheduleKey& key, const Schedule& schedule,
                                         const Region& region);

  // Without cuts, which only explanations have.
  Schedule schedule_of(const ScheduleKey& key) const;
  Region region_of(const ScheduleKey& key) const;

 private:
  using Numbers = std::vector<std::uint32_t>;
  struct KnownTask {
    Task::Kind kind;
    std::size_t wanted;
    RowSpace rows;
    Numbers outputs, reductions, left;
    std::uint32_t stream;  // that of this array; 0: the current one
  };

  std::vector<KnownTask> tasks_;
  Numbers live_outputs_, left_;
};

// Null: this thread has not made it yet, or has not kept it.
const KnownSchedule* find_known(const ScheduleKey& key);

// The thread knows the schedule from now on, if it has made it twice.
void remember(const ScheduleKey& key, const Schedule& schedule, const Region& region = {});

}  // namespace cupola
