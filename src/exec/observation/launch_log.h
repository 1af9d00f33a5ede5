#pragma once
// What is launched, kept to be looked at like what would be (exec/evaluation/dry_run.h): writes to
// existing memory too, which run at their call.

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "base/call_site.h"
#include "codegen/planner.h"
#include "exec/launch/use_order.h"

namespace cupola {

namespace internal {
extern std::atomic<bool> logs_launches;
}

// Arrays in `reads` and `writes` have made-up addresses: those of one storage are next to each
// other, and no other storage has them.
struct LoggedLaunch : PlannedLaunch {
  std::string name;  // of a library or of the user; empty: the plan says what is done
  CallPosition position;
};

// One log at a time: throws ValueError where there is one. Of more than some thousand launches the
// later ones are left out.
void start_launch_log();
std::vector<LoggedLaunch> stop_launch_log();

// While it is so, nothing is launched past the launcher, which knows what is read.
inline bool is_logging_launches() noexcept {
  return internal::logs_launches.load(std::memory_order_relaxed);
}
void log_launch(const KernelPlan& plan, const LaunchArguments& arguments, ArrayPointers reads,
                std::span<const Array> writes) noexcept;
void log_launch(const std::string& name, std::span<const Array> reads,
                std::span<const Array> writes) noexcept;

}  // namespace cupola
