#include "exec/evaluation/runner.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/mutant.h"
#include "exec/evaluation/claim.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/failure.h"
#include "exec/launch/at_once.h"
#include "exec/launch/launcher.h"
#include "runtime/on_stream.h"

namespace cupola {

namespace {

// The values are claimed; they become what is written.
template <typename Launch>
void compute(std::span<const Write> writes, const Launch& launch) {
  const auto publish_all = [&] {
    for (const Write& each : writes) publish(each.value, each.target);
  };
  if (CUPOLA_MUTANT(publish_early)) {
    publish_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return launch(writes);
  }
  launch(writes);
  publish_all();
}

void run_map(const Task& task, const std::vector<Array>& outputs) {
  const Claim claim(outputs);
  if (claim.pending().empty()) return;
  compute_for(claim.pending().back(), [&] {
    compute(writes_for(claim.pending()), [&](std::span<const Write> writes) {
      const bool drop = CUPOLA_MUTANT(drop_held_outputs) && writes.size() > task.wanted;
      launch_writes(drop ? writes.last(task.wanted) : writes);
    });
    note_left(alive(task.left));
  });
}

void run_reduction(const Task& task, const Array& result) {
  const std::vector<Array> reductions = alive(task.reductions);
  if (is_stored(result)) return;
  if (reductions.empty()) throw StaleSnapshot();
  const Array& reduction = reductions.front();
  const Claim claim(is_same(reduction, result) ? std::vector{result}
                                               : std::vector{result, reduction});
  if (is_stored(result)) return;
  if (is_stored(reduction)) throw StaleSnapshot();
  compute_for(result, [&] {
    compute(writes_for({result}), [&](std::span<const Write> writes) {
      launch_reduction(reduction, writes.front().target, result);
    });
    note_left(alive(task.left));
  });
}

void run_rows(const Task& task, const std::vector<Array>& outputs) {
  const std::vector<Array> reductions = alive(task.reductions);
  std::vector<Array> claimed = outputs;
  claimed.insert(claimed.end(), reductions.begin(), reductions.end());
  const Claim claim(claimed);
  std::vector<Array> pending = claim.pending();
  std::erase_if(pending, [&](const Array& array) {
    return std::none_of(outputs.begin(), outputs.end(),
                        [&](const Array& output) { return is_same(output, array); });
  });
  if (pending.empty()) return;
  const bool has_all = reductions.size() == task.reductions.size();
  if (!has_all || std::any_of(reductions.begin(), reductions.end(), is_stored)) {
    throw StaleSnapshot();
  }
  compute_for(pending.back(), [&] {
    compute(writes_for(pending),
            [&](std::span<const Write> writes) { launch_rows(writes, task.rows); });
    note_left(alive(task.left));
  });
}

// What was computed before goes with the list.
void perform(std::vector<Rewrite> rewrites) {
  for (const Rewrite& rewrite : rewrites) {
    if (std::shared_ptr<ArrayState> state = rewrite.array.lock()) {
      replace_computation(Array(std::move(state)), *rewrite.known, rewrite.next);
    }
  }
}

// Views of what is stored by now are stored once they are asked.
void publish_views(std::span<const WeakArray> views) {
  for (const Array& view : alive(views)) node_of(view);
}

void run(const Task& task, const std::vector<Array>& outputs) {
  switch (task.kind) {
    case Task::Kind::map:
      return run_map(task, outputs);
    case Task::Kind::reduction:
      return run_reduction(task, outputs.front());
    case Task::Kind::rows:
      return run_rows(task, outputs);
  }
}

}  // namespace

void run(Schedule schedule, bool at_once) {
  for (Task& task : schedule.tasks) {
    perform(std::exchange(task.rewrites, {}));
    publish_views(task.views);
    const std::vector<Array> outputs = alive(task.outputs);
    if (outputs.empty()) continue;
    const OnStream stream(outputs.front().device(), std::move(task.stream));
    if (at_once && outputs.size() == 1 && evaluate_at_once(outputs, MayCompute::alone)) continue;
    run(task, outputs);
  }
  perform(std::move(schedule.rewrites));
  publish_views(schedule.views);
}

}  // namespace cupola
