#include "exec/evaluation/evaluator.h"

#include <array>
#include <atomic>

#include "base/counters.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/known_schedule.h"
#include "exec/evaluation/runner.h"
#include "exec/launch/at_once.h"
#include "graph/repeats.h"
#include "memory/hooks.h"

namespace cupola {

namespace {

// Runs the schedules that `make` returns: one, and others where other threads have changed what it
// is made of. `is_tried`: what the last task computes has been tried at once.
template <typename MakeSchedule>
void run_schedules(const Device& device, bool is_tried, const MakeSchedule& make) {
  const InterpreterBarrier barrier;
  const Computing computing;
  driver(device).load_joined();
  while_stale([&] {
    Schedule schedule = make();
    const bool at_once = !is_tried || schedule.tasks.size() > 1;
    run(std::move(schedule), at_once);
  });
}

// The same, once more where memory was found. What has not been stored is pending as before.
template <typename MakeSchedule>
void run_all(const Device& device, bool is_tried, const MakeSchedule& make) {
  try {
    run_schedules(device, is_tried, make);
  } catch (const OutOfMemoryError&) {
    // If nothing more is being computed no lock is held.
    const bool computed = compute_to_free(device);
    if (!run_collector() && !computed) throw;
    run_schedules(device, is_tried, make);
  }
}

Schedule made_by(Scheduler& scheduler) {
  count(Counter::schedules_made);
  return scheduler.take();
}

}  // namespace

int free_operations(const Device& device, std::int64_t elements) {
  if (elements < least_left()) return 0;
  // Platforms have one number for all of their devices, and all properties take long to gather.
  static constinit std::array<std::atomic<int>, 2> known{};  // 0: nobody has asked
  std::atomic<int>& operations = known[static_cast<std::size_t>(device.platform())];
  if (const int found = operations.load(std::memory_order_relaxed); found != 0) return found;
  const int found = driver(device).properties(device.index()).free_operations;
  operations.store(found, std::memory_order_relaxed);
  return found;
}

void note_left(std::span<const Array> arrays) {
  for (const Array& array : arrays) array.state().is_left.store(true, std::memory_order_relaxed);
}

void evaluate(std::span<const Array> arrays) { evaluate(arrays, Live::may_be_left); }

void evaluate(std::span<const Array> arrays, Live live) {
  // Of what is below a large array some may be left to other kernels, where all is not to be
  // stored.
  const MayCompute what = live == Live::stored ? MayCompute::all : MayCompute::alone;
  if (evaluate_at_once(arrays, what)) return;
  run_all(arrays.front().device(), true, [&] {
    const ScheduleKey key(arrays, live);
    if (const KnownSchedule* const known = find_known(key)) return known->schedule_of(key);
    Scheduler scheduler(free_operations);
    scheduler.add(arrays, live);
    Schedule schedule = made_by(scheduler);
    remember(key, schedule);
    return schedule;
  });
}

Region evaluate_below(std::span<const Array> sources, const KernelForm& form) {
  Region region;
  run_all(sources.front().device(), false, [&] {
    const ScheduleKey key(sources, form);
    if (const KnownSchedule* const known = find_known(key)) {
      region = known->region_of(key);
      return known->schedule_of(key);
    }
    Scheduler scheduler(free_operations);
    region = scheduler.add_below(sources, form);
    Schedule schedule = made_by(scheduler);
    remember(key, schedule, region);
    return schedule;
  });
  return region;
}

}  // namespace cupola
