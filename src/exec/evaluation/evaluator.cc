#include "exec/evaluation/evaluator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/mutant.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "exec/evaluation/claim.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/dry_run.h"
#include "exec/evaluation/failure.h"
#include "exec/evaluation/result_layout.h"
#include "exec/launch/at_once.h"
#include "exec/launch/launcher.h"
#include "graph/fusion.h"
#include "graph/repeats.h"
#include "graph/views.h"
#include "memory/hooks.h"
#include "memory/pressure/spill.h"
#include "runtime/on_stream.h"

namespace cupola {

namespace {

// Those that may be one kernel together.
void materialize_inputs(const Region& region, Live live) {
  if (region.materialized_inputs.size() < 2) {
    evaluate(region.materialized_inputs, live);
  } else {
    for (const std::vector<Array>& mates : find_mates(region.materialized_inputs))
      evaluate(mates, live);
  }
  if (DryRun* dry_run = DryRun::of_thread()) dry_run->note_cuts(region);
}

int free_operations_if(Live live, const Array& root, const Dims& space) {
  return live == Live::may_be_left ? free_operations(root.device(), element_count(space)) : 0;
}

// What nothing stands in the way of.
Region clear_region(std::span<const Array> roots, KernelForm form, Live live) {
  form.free_operations = free_operations_if(live, roots.front(), form.space);
  for (;;) {
    Region region = find_region(roots, form);
    if (region.materialized_inputs.empty()) return region;
    materialize_inputs(region, live);
  }
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

// Elementwise or rolled arrays of one shape, and what is held below them.
void evaluate_elementwise(std::span<const Array> roots, Live live) {
  const Dims& space = roots.front().shape();
  const KernelForm form{.space = space, .stores_live_outputs = true, .has_rolls = true};
  const Region region = clear_region(roots, form, live);
  std::vector<Array> computed = region.live_outputs;
  computed.insert(computed.end(), roots.begin(), roots.end());
  const Claim claim(computed);
  if (claim.pending().empty()) return;
  compute_for(claim.pending().back(), [&] {
    std::vector<Write> writes;
    for (const Array& array : claim.pending()) {
      writes.push_back({.value = array, .target = allocate_for(array)});
    }
    compute(writes, roots.size());
    note_left(region.left);
  });
}

// A mapped node that is alone: what evaluate_elementwise() does, without the search.
void evaluate_alone(const Array& array) {
  const std::lock_guard claim(array.state().mutex);
  if (is_stored(array)) return;
  compute_for(array, [&] {
    const Write write{.value = array, .target = allocate_for(array)};
    compute({&write, 1}, 1);
  });
}

// Returns what the reduction computes and leaves.
std::vector<Array> clear_inputs(const Array& reduction, Live live) {
  const NodePointer node = node_of(reduction);
  if (!node || is_alone(*node)) return {};
  const Array& input = node->inputs[0];
  // Elements along one dimension are visited in no other order. Members of a set divide a launch
  // by the memory of its operands, so that there numbers are stored first.
  const bool row_major =
      node->kind == NodeKind::reduce && input.rank() == 1 && !input.device().is_set();
  Region region =
      clear_region({&reduction, 1}, {.space = input.shape(), .row_major = row_major}, live);
  for (std::size_t i = 1; i < node->inputs.size(); ++i) evaluate(node->inputs[i]);
  return std::move(region.left);
}

// A reduction, or `result`, which is made of it and scalars.
// False: another thread has stored the reduction.
bool evaluate_reduction(const Array& reduction, const Array& result, Live live) {
  const std::vector<Array> left = clear_inputs(reduction, live);
  const Claim claim(is_same(reduction, result) ? std::vector{result}
                                               : std::vector{result, reduction});
  if (is_stored(result)) return true;
  if (is_stored(reduction)) return false;
  compute_for(result, [&] {
    const Array target = allocate_for(result);
    launch_reduction(reduction, target, result);
    note_left(left);
    publish(result, target);
  });
  return true;
}

std::optional<RowGroup> clear_row_group(std::span<const Array> roots, Live live) {
  const int free = free_operations_if(live, roots.front(), roots.front().shape());
  for (;;) {
    std::optional<RowGroup> group = find_row_group(roots, free);
    if (!group || group->region.materialized_inputs.empty()) return group;
    materialize_inputs(group->region, live);
  }
}

// Reductions of rows and what is made of them, by one kernel.
// False: there is no such kernel, or another thread has stored a reduction.
bool evaluate_rows(std::span<const Array> roots, Live live) {
  const std::optional<RowGroup> group = clear_row_group(roots, live);
  if (!group) return false;
  std::vector<Array> wanted = group->region.live_outputs;
  wanted.insert(wanted.end(), roots.begin(), roots.end());
  std::vector<Array> claimed = wanted;
  claimed.insert(claimed.end(), group->tops.begin(), group->tops.end());
  const Claim claim(claimed);
  if (std::all_of(roots.begin(), roots.end(), is_stored)) return true;
  if (std::any_of(group->tops.begin(), group->tops.end(), is_stored)) return false;
  compute_for(roots.back(), [&] {
    std::vector<Write> writes;
    for (const Array& array : wanted) {
      const bool is_known = std::any_of(writes.begin(), writes.end(), [&](const Write& write) {
        return is_same(write.value, array);
      });
      if (is_known || is_stored(array)) continue;
      writes.push_back({.value = array, .target = allocate_for(array)});
    }
    launch_rows(writes, group->rows);
    note_left(group->region.left);
    for (const Write& each : writes) publish(each.value, each.target);
  });
  return true;
}

void evaluate_one(const Array& array, Live live) {
  NodePointer node = node_of(array);
  while (node && node->kind == NodeKind::view) {
    evaluate({&node->inputs[0], 1}, live);
    node = node_of(array);
  }
  if (!node) return;
  const OnStream stream(array.device(), array.state().stream);
  if (node->siblings) {
    const std::vector<Array> all = with_siblings({&array, 1});
    if (all.size() > 1) {
      if (!evaluate_rows(all, live)) evaluate_elementwise(all, live);
      return;
    }
  }
  if (is_mapped(node->kind) && is_alone(*node)) return evaluate_alone(array);
  if (node->kind == NodeKind::roll) return evaluate_elementwise({&array, 1}, live);
  if (evaluate_rows({&array, 1}, live)) return;
  const Array reduction = is_elementwise(node->kind) ? find_reduction_below(array) : array;
  if (reduction.has_value() && evaluate_reduction(reduction, array, live)) return;
  evaluate_elementwise({&array, 1}, live);
}

// Several arrays over the same rows.
bool are_evaluated_as_rows(std::span<const Array> arrays, Live live) {
  const bool same_device = std::all_of(arrays.begin(), arrays.end(), [&](const Array& array) {
    return array.device() == arrays.front().device();
  });
  if (arrays.size() < 2 || !same_device) return false;
  const OnStream stream(arrays.front().device(), arrays.front().state().stream);
  return evaluate_rows(arrays, live);
}

bool are_one_kernel(std::span<const Array> arrays) {
  return arrays.size() > 1 && std::all_of(arrays.begin(), arrays.end(), [&](const Array& array) {
           const NodePointer node = node_of(array);
           return node && is_mapped(node->kind) && array.shape() == arrays.front().shape() &&
                  array.device() == arrays.front().device();
         });
}

void evaluate_pending(std::span<const Array> arrays, Live live) {
  const InterpreterBarrier barrier;
  const Computing computing;
  driver(arrays.front().device()).load_joined();
  push_views_down(arrays);
  if (are_evaluated_as_rows(arrays, live)) return;
  if (are_one_kernel(arrays)) {
    const OnStream stream(arrays.front().device(), arrays.front().state().stream);
    return evaluate_elementwise(arrays, live);
  }
  for (const Array& array : arrays) evaluate_one(array, live);
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
  try {
    evaluate_pending(arrays, live);
  } catch (const OutOfMemoryError&) {
    // The arrays are pending as before, and if nothing more is being computed no lock is held.
    const bool computed = compute_to_free(arrays.front().device());
    if (!run_collector() && !computed) throw;
    evaluate_pending(arrays, live);
  }
}

}  // namespace cupola
