#include "exec/evaluation/dry_run.h"

#include <algorithm>
#include <utility>

#include "exec/evaluation/evaluator.h"
#include "graph/result_layout.h"
#include "graph/schedule.h"

namespace cupola {

namespace {

// Where no process has memory. The least alignment of all that is allocated.
constexpr std::uintptr_t kNowhere = std::uintptr_t{1} << 62;
constexpr std::uintptr_t kAlignment = 256;

// Plans the tasks of a schedule, one after the other, in a snapshot that is as each leaves it.
class TaskPlanner {
 public:
  void add(const Task& task) {
    for (const Rewrite& rewrite : task.rewrites) {
      for (const Array& array : alive({&rewrite.array, 1})) snapshot_.replace(array, rewrite.next);
    }
    note_cuts(task);
    std::vector<Array> outputs = alive(task.outputs);
    std::erase_if(outputs, [&](const Array& array) { return snapshot_.is_stored(array); });
    if (outputs.empty()) return;
    std::vector<Write> writes;
    for (const Array& output : outputs) {
      writes.push_back({.value = output, .target = placed(output)});
    }
    const CallPosition position = snapshot_.node_of(outputs.back())->made_at;
    add({plan_of(task, writes), position});
    for (const Write& write : writes) {
      snapshot_.store(write.value, write.target.state().layout, write.target);
    }
    for (const Array& array : alive(task.left)) snapshot_.leave(array);
  }
  DryRunWork take() { return std::move(work_); }

 private:
  PlannedLaunch plan_of(const Task& task, std::span<const Write> writes) const {
    switch (task.kind) {
      case Task::Kind::map:
        return plan_map(writes, snapshot_);
      case Task::Kind::rows:
        return plan_rows(writes, task.rows, snapshot_);
      case Task::Kind::reduction:
        break;
    }
    const Array& result = writes.front().value;
    const Array reduction = alive(task.reductions).front();
    return plan_reduction(reduction, writes.front().target,
                          is_same(reduction, result) ? Array() : result, snapshot_);
  }
  void add(DryRunLaunch planned) {
    const Dims& extents = planned.arguments.extents;
    const bool is_empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
    if (!is_empty) work_.launches.push_back(std::move(planned));
  }
  void note_cuts(const Task& task) {
    for (const Task::Cut& cut : task.cuts) {
      for (const Array& array : alive({&cut.array, 1})) {
        if (snapshot_.node_of(array)) continue;
        const void* const address = pointer_of(snapshot_.stored(array));
        work_.cuts.push_back({reinterpret_cast<std::uintptr_t>(address), cut.reason});
      }
    }
  }
  Array placed(const Array& pending) {
    const Dims& shape = pending.shape();
    Layout layout = layout_for(pending, snapshot_);
    const auto bytes =
        static_cast<std::size_t>((touched_extent(shape, layout).last + 1) * pending.item_size());
    auto storage =
        std::make_shared<Storage>(pending.device(), reinterpret_cast<void*>(next_address_), bytes);
    next_address_ += (bytes / kAlignment + 1) * kAlignment;
    return make_stored(pending.dtype(), shape, std::move(storage), std::move(layout));
  }

  Snapshot snapshot_;
  std::uintptr_t next_address_ = kNowhere;
  DryRunWork work_;
};

}  // namespace

DryRunWork dry_run_of(std::span<const Array> arrays) {
  Scheduler scheduler(free_operations);
  scheduler.add(arrays, Live::may_be_left);
  TaskPlanner planner;
  const Schedule schedule = scheduler.take();
  for (const Task& task : schedule.tasks) planner.add(task);
  return planner.take();
}

}  // namespace cupola
