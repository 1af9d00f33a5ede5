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

std::vector<Write> writes_of(std::span<const Array> pending) {
  std::vector<Write> writes;
  for (const Array& array : pending) {
    writes.push_back({.value = array, .target = allocate_for(array)});
  }
  return writes;
}

// The values are claimed; they become what is written.
void compute(std::span<const Write> writes, std::size_t wanted) {
  const auto publish_all = [&] {
    for (const Write& each : writes) publish(each.value, each.target);
  };
  const auto launch_all = [&] {
    const bool drop = CUPOLA_MUTANT(drop_held_outputs) && writes.size() > wanted;
    const std::span<const Write> launched = drop ? writes.last(wanted) : writes;
    launch_writes(launched);
  };
  if (CUPOLA_MUTANT(publish_early)) {
    publish_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return launch_all();
  }
  launch_all();
  publish_all();
}

void run_map(const Task& task) {
  const Claim claim(alive(task.outputs));
  if (claim.pending().empty()) return;
  compute_for(claim.pending().back(), [&] {
    compute(writes_of(claim.pending()), task.wanted);
    note_left(alive(task.left));
  });
}

void run_reduction(const Task& task) {
  const std::vector<Array> results = alive(task.outputs), reductions = alive(task.reductions);
  if (results.empty() || is_stored(results.front())) return;
  if (reductions.empty()) throw StaleSnapshot();
  const Array& result = results.front();
  const Array& reduction = reductions.front();
  const Claim claim(is_same(reduction, result) ? std::vector{result}
                                               : std::vector{result, reduction});
  if (is_stored(result)) return;
  if (is_stored(reduction)) throw StaleSnapshot();
  compute_for(result, [&] {
    const Array target = allocate_for(result);
    launch_reduction(reduction, target, result);
    note_left(alive(task.left));
    publish(result, target);
  });
}

void run_rows(const Task& task) {
  const std::vector<Array> outputs = alive(task.outputs), reductions = alive(task.reductions);
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
    const std::vector<Write> writes = writes_of(pending);
    launch_rows(writes, task.rows);
    note_left(alive(task.left));
    for (const Write& each : writes) publish(each.value, each.target);
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

void run(const Task& task) {
  switch (task.kind) {
    case Task::Kind::map:
      return run_map(task);
    case Task::Kind::reduction:
      return run_reduction(task);
    case Task::Kind::rows:
      return run_rows(task);
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
    run(task);
  }
  perform(std::move(schedule.rewrites));
  publish_views(schedule.views);
}

}  // namespace cupola
