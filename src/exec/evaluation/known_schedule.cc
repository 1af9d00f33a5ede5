#include "exec/evaluation/known_schedule.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/containers/known_keys.h"
#include "base/counters.h"
#include "base/threads/thread_owned.h"

namespace cupola {

namespace {

// Per thread, so that a hit takes no lock.
struct KnownSchedules {
  KnownKeys<KnownSchedule, 1024> schedules;
  // Hashes of keys that were seen, in the order of their last bits: what never comes again is not
  // kept.
  std::array<std::uint64_t, 1024> seen{};
};

KnownSchedules& known_schedules() { return ThreadOwned<KnownSchedules>::get(); }

// The numbers of a schedule's arrays, as long as all have some.
class Numbering {
 public:
  explicit Numbering(const ScheduleKey& key) : key_(key) {}

  std::vector<std::uint32_t> of(std::span<const WeakArray> arrays) {
    std::vector<std::uint32_t> numbers;
    for (const WeakArray& each : arrays)
      numbers.push_back(known(key_.number_of(each.lock().get())));
    return numbers;
  }
  std::uint32_t of(const StreamState* stream) {
    return stream ? known(key_.number_of_stream(stream)) : 0;
  }
  bool is_complete() const { return is_complete_; }

 private:
  std::uint32_t known(std::uint32_t number) {
    is_complete_ &= number != 0;
    return number;
  }

  const ScheduleKey& key_;
  bool is_complete_ = true;
};

std::vector<WeakArray> weak(const ScheduleKey& key, const std::vector<std::uint32_t>& numbers) {
  std::vector<WeakArray> arrays;
  arrays.reserve(numbers.size());
  for (const std::uint32_t number : numbers) arrays.push_back(key.array(number).handle());
  return arrays;
}

}  // namespace

std::optional<KnownSchedule> KnownSchedule::of(const ScheduleKey& key, const Schedule& schedule,
                                               const Region& region) {
  Numbering numbers(key);
  KnownSchedule known;
  const auto has_more = [](const Task& task) {
    return !task.rewrites.empty() || !task.views.empty();
  };
  const bool is_plain = schedule.rewrites.empty() && schedule.views.empty() &&
                        std::none_of(schedule.tasks.begin(), schedule.tasks.end(), has_more);
  if (!is_plain) return std::nullopt;
  for (const Task& task : schedule.tasks) {
    known.tasks_.push_back({.kind = task.kind,
                            .wanted = task.wanted,
                            .rows = task.rows,
                            .outputs = numbers.of(task.outputs),
                            .reductions = numbers.of(task.reductions),
                            .left = numbers.of(task.left),
                            .stream = numbers.of(task.stream.get())});
  }
  known.live_outputs_ = numbers.of(cupola::weak(region.live_outputs));
  known.left_ = numbers.of(cupola::weak(region.left));
  if (!numbers.is_complete()) return std::nullopt;
  return known;
}

Schedule KnownSchedule::schedule_of(const ScheduleKey& key) const {
  Schedule schedule;
  schedule.tasks.reserve(tasks_.size());
  for (const KnownTask& task : tasks_) {
    schedule.tasks.push_back(
        {.kind = task.kind,
         .outputs = weak(key, task.outputs),
         .wanted = task.wanted,
         .reductions = weak(key, task.reductions),
         .rows = task.rows,
         .left = weak(key, task.left),
         .stream = task.stream == 0 ? nullptr : key.array(task.stream).state().stream});
  }
  return schedule;
}

Region KnownSchedule::region_of(const ScheduleKey& key) const {
  Region region;
  region.live_outputs = alive(weak(key, live_outputs_));
  region.left = alive(weak(key, left_));
  return region;
}

const KnownSchedule* find_known(const ScheduleKey& key) {
  if (!key.is_complete()) return nullptr;
  const KnownSchedule* const known = known_schedules().schedules.find(key.words());
  if (known) count(Counter::schedules_known);
  return known;
}

void remember(const ScheduleKey& key, const Schedule& schedule, const Region& region) {
  if (!key.is_complete()) return;
  KnownSchedules& known = known_schedules();
  const std::uint64_t hash = hash_of(key.words());
  std::uint64_t& seen = known.seen[hash % known.seen.size()];
  if (std::exchange(seen, hash) != hash) return;
  if (auto made = KnownSchedule::of(key, schedule, region)) {
    known.schedules.learn(key.words(), std::move(*made));
  }
}

}  // namespace cupola
