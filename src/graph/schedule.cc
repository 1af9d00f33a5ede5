#include "graph/schedule.h"

#include <algorithm>
#include <utility>

#include "graph/readings.h"
#include "graph/result_layout.h"

namespace cupola {

std::vector<WeakArray> weak(std::span<const Array> arrays) {
  std::vector<WeakArray> result;
  result.reserve(arrays.size());
  for (const Array& array : arrays) result.push_back(array.handle());
  return result;
}

std::vector<Array> alive(std::span<const WeakArray> arrays) {
  std::vector<Array> result;
  result.reserve(arrays.size());
  for (const WeakArray& each : arrays) {
    if (std::shared_ptr<ArrayState> state = each.lock()) result.emplace_back(std::move(state));
  }
  return result;
}

// While one lives, tasks are for the array's stream.
class Scheduler::OnStreamOf {
 public:
  OnStreamOf(Scheduler& scheduler, const Array& array)
      : scheduler_(scheduler), outside_(scheduler.stream_) {
    if (array.state().stream) scheduler_.stream_ = array.state().stream;
  }
  ~OnStreamOf() { scheduler_.stream_ = std::move(outside_); }
  OnStreamOf(const OnStreamOf&) = delete;
  OnStreamOf& operator=(const OnStreamOf&) = delete;

 private:
  Scheduler& scheduler_;
  std::shared_ptr<StreamState> outside_;
};

void Scheduler::add(std::span<const Array> arrays, Live live) {
  push_views_down(arrays, snapshot(), rewrites_);
  if (add_as_rows(arrays, live)) return;
  if (are_one_kernel(arrays)) {
    const OnStreamOf stream(*this, arrays.front());
    return add_map(arrays, live);
  }
  for (const Array& array : arrays) add_one(array, live);
}

Region Scheduler::add_below(std::span<const Array> sources, KernelForm form) {
  push_views_down(sources, snapshot(), rewrites_);
  for (;;) {
    Region region = find_source_region(sources, form, snapshot());
    if (region.materialized_inputs.empty()) return region;
    for (const Array& input : region.materialized_inputs) add({&input, 1}, Live::may_be_left);
  }
}

// Those that may be one kernel together.
void Scheduler::add_inputs(const Region& region, Live live) {
  if (region.materialized_inputs.size() < 2) {
    add(region.materialized_inputs, live);
  } else {
    for (const std::vector<Array>& mates : find_mates(region.materialized_inputs, snapshot()))
      add(mates, live);
  }
  for (std::size_t i = 0; i < region.reasons.size(); ++i) {
    cuts_.push_back({region.materialized_inputs[i].handle(), region.reasons[i]});
  }
}

int Scheduler::free_operations_if(Live live, const Array& root, const Dims& space) const {
  return live == Live::may_be_left ? free_operations_(root.device(), element_count(space)) : 0;
}

// What nothing stands in the way of.
Region Scheduler::clear_region(std::span<const Array> roots, KernelForm form, Live live) {
  form.free_operations = free_operations_if(live, roots.front(), form.space);
  for (;;) {
    Region region = find_region(roots, form, snapshot());
    if (region.materialized_inputs.empty()) return region;
    add_inputs(region, live);
  }
}

// Elementwise or rolled arrays of one shape, and what is held below them.
void Scheduler::add_map(std::span<const Array> roots, Live live) {
  const KernelForm form{
      .space = roots.front().shape(), .stores_live_outputs = true, .has_rolls = true};
  Region region = clear_region(roots, form, live);
  std::vector<Array> outputs = std::move(region.live_outputs);
  outputs.insert(outputs.end(), roots.begin(), roots.end());
  emit({.kind = Task::Kind::map,
        .wanted = roots.size(),
        .left = weak(std::exchange(region.left, {}))},
       outputs);
}

// Returns what the reduction computes and leaves.
std::vector<Array> Scheduler::clear_inputs(const Array& reduction, Live live) {
  const NodePointer node = snapshot().node_of(reduction);
  if (!node || is_alone(*node, snapshot())) return {};
  const Array& input = node->inputs[0];
  // Elements along one dimension are visited in no other order. Members of a set divide a launch
  // by the memory of its operands, so that there numbers are stored first.
  const bool row_major =
      node->kind == NodeKind::reduce && input.rank() == 1 && !input.device().is_set();
  Region region =
      clear_region({&reduction, 1}, {.space = input.shape(), .row_major = row_major}, live);
  for (std::size_t i = 1; i < node->inputs.size(); ++i) add({&node->inputs[i], 1}, live);
  return std::move(region.left);
}

// A reduction, or `result`, which is made of it and scalars.
void Scheduler::add_reduction(Array reduction, const Array& result, Live live) {
  std::vector<WeakArray> left = weak(clear_inputs(reduction, live));
  Task task{
      .kind = Task::Kind::reduction, .reductions = {reduction.handle()}, .left = std::move(left)};
  reduction = {};
  emit(std::move(task), {&result, 1});
}

std::optional<RowGroup> Scheduler::clear_row_group(std::span<const Array> roots, Live live) {
  const int free = free_operations_if(live, roots.front(), roots.front().shape());
  for (;;) {
    std::optional<RowGroup> group = find_row_group(roots, free, snapshot());
    if (!group || group->region.materialized_inputs.empty()) return group;
    add_inputs(group->region, live);
  }
}

// Reductions of rows and what is made of them. False: they are no one kernel.
bool Scheduler::add_rows(std::span<const Array> roots, Live live) {
  std::optional<RowGroup> group = clear_row_group(roots, live);
  if (!group) return false;
  std::vector<Array> outputs = std::move(group->region.live_outputs);
  outputs.insert(outputs.end(), roots.begin(), roots.end());
  Task task{.kind = Task::Kind::rows,
            .wanted = roots.size(),
            .reductions = weak(group->tops),
            .rows = std::move(group->rows),
            .left = weak(group->region.left)};
  group.reset();
  emit(std::move(task), outputs);
  return true;
}

void Scheduler::add_one(const Array& array, Live live) {
  NodePointer node = snapshot().node_of(array);
  while (node && node->kind == NodeKind::view) {
    add({&node->inputs[0], 1}, live);
    node = snapshot().node_of(array);
  }
  if (!node) return;
  const OnStreamOf stream(*this, array);
  if (node->siblings) {
    const std::vector<Array> all = with_siblings(array);
    if (all.size() > 1) {
      if (!add_rows(all, live)) add_map(all, live);
      return;
    }
  }
  if (is_mapped(node->kind) && is_alone(*node, snapshot())) {
    return emit({.kind = Task::Kind::map}, {&array, 1});
  }
  if (node->kind == NodeKind::roll) return add_map({&array, 1}, live);
  if (add_rows({&array, 1}, live)) return;
  Array reduction = is_elementwise(node->kind) ? find_reduction_below(array, snapshot()) : array;
  node = nullptr;
  if (!reduction.has_value()) return add_map({&array, 1}, live);
  add_reduction(std::move(reduction), array, live);
}

// The array, and the other results of its operation that somebody holds and nobody has computed.
std::vector<Array> Scheduler::with_siblings(const Array& array) {
  std::vector<Array> all{array};
  const NodePointer node = snapshot().node_of(array);
  for (const WeakArray& weak : node->siblings->all) {
    std::shared_ptr<ArrayState> state = weak.lock();
    if (!state || state == array.handle()) continue;
    Array sibling(std::move(state));
    // Its computation may have become another one (graph/views.h).
    const NodePointer own = snapshot().node_of(sibling);
    if (own && own->siblings == node->siblings) all.push_back(std::move(sibling));
  }
  return all;
}

// Several arrays over the same rows.
bool Scheduler::add_as_rows(std::span<const Array> arrays, Live live) {
  const bool same_device = std::all_of(arrays.begin(), arrays.end(), [&](const Array& array) {
    return array.device() == arrays.front().device();
  });
  if (arrays.size() < 2 || !same_device) return false;
  const OnStreamOf stream(*this, arrays.front());
  return add_rows(arrays, live);
}

bool Scheduler::are_one_kernel(std::span<const Array> arrays) {
  return arrays.size() > 1 && std::all_of(arrays.begin(), arrays.end(), [&](const Array& array) {
           const NodePointer node = snapshot().node_of(array);
           return node && is_mapped(node->kind) && array.shape() == arrays.front().shape() &&
                  array.device() == arrays.front().device();
         });
}

void Scheduler::emit(Task task, std::span<const Array> outputs) {
  task.cuts = std::exchange(cuts_, {});
  task.rewrites = std::exchange(rewrites_, {});
  task.stream = stream_;
  task.views = snapshot().take_stored_views();
  PointerSet seen;
  for (const Array& output : outputs) {
    if (seen.insert(&output.state())) task.outputs.push_back(output.handle());
  }
  tasks_.push_back(std::move(task));
}

Schedule Scheduler::take() {
  std::vector<WeakArray> views = snapshot().take_stored_views();
  return {std::move(tasks_), std::move(rewrites_), std::move(views)};
}

Snapshot& Scheduler::snapshot() {
  if (seen_tasks_ == tasks_.size()) return snapshot_;
  const Task& task = tasks_[seen_tasks_++];
  const std::vector<Array> outputs = alive(task.outputs);
  std::vector<Layout> layouts;
  for (const Array& output : outputs) layouts.push_back(layout_for(output, snapshot_));
  for (std::size_t i = 0; i < outputs.size(); ++i) snapshot_.store(outputs[i], layouts[i]);
  for (const Array& array : alive(task.left)) snapshot_.leave(array);
  return snapshot_;
}

}  // namespace cupola
