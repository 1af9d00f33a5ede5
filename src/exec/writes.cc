// write(): into memory that others may see.

#include <algorithm>
#include <vector>

#include "cupola/error.h"
#include "exec/deferral.h"
#include "exec/evaluator.h"
#include "exec/launcher.h"
#include "exec/work_graph.h"
#include "graph/fusion.h"
#include "graph/views.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

// True when a kernel that computes `source` while it makes the writes could read what it has
// written. Reading the very element that is written next does no harm.
bool is_disturbed(const Array& source, std::span<const Write> writes) {
  const Leaves leaves = find_leaves(source);
  for (const Write& write : writes) {
    const auto overlaps = [&](const Array& leaf) { return may_overlap(leaf, write.target); };
    const auto conflicts = [&](const Array& leaf) {
      return overlaps(leaf) &&
             (write.store != StoreKind::plain || !is_same_view(leaf, write.target));
    };
    if (std::any_of(leaves.walked.begin(), leaves.walked.end(), conflicts) ||
        std::any_of(leaves.gathered.begin(), leaves.gathered.end(), overlaps)) {
      return true;
    }
  }
  return false;
}

// Computes `source` into memory of its own where the writes would disturb its reading.
void detach(Array& source, std::span<const Write> writes) {
  if (!is_disturbed(source, writes)) return;
  if (!is_stored(source)) {
    evaluate(source);
    return;
  }
  const Array temporary = allocate_array(source.dtype(), source.shape(), source.device());
  const Write copy{.value = source, .target = temporary};
  launch_writes({&copy, 1});
  source = temporary;
}

// One operation on stored arrays that the write does not disturb.
bool needs_nothing_first(const Write& write) {
  const NodePointer node = node_of(write.value);
  if (write.store != StoreKind::plain || !node) return false;
  if (!is_elementwise(node->kind) || !is_alone(*node)) return false;
  return std::all_of(node->inputs.begin(), node->inputs.end(), [&](const Array& input) {
    return !is_stored(input) || !may_overlap(input, write.target) ||
           is_same_view(input, write.target);
  });
}

// Returns what the write computes and leaves.
std::vector<Array> clear_sources(const Write& write, bool has_rolls) {
  const std::vector<Array> sources = write.sources();
  push_views_down(sources);
  const Dims& space = write.space();
  const int free = free_operations(write.target.device(), element_count(space));
  const KernelForm form{.space = space, .has_rolls = has_rolls, .free_operations = free};
  for (;;) {
    Region region = find_source_region(sources, form);
    if (region.barriers.empty()) return std::move(region.left);
    for (const Array& barrier : region.barriers) evaluate(barrier);
  }
}

// They get what was there before.
void compute_other_readers(std::span<const Write> writes) {
  std::vector<Array> sources;
  for (const Write& write : writes) {
    for (Array& source : write.sources()) sources.push_back(std::move(source));
  }
  for (const Write& write : writes) compute_readers(write.target, sources);
}

void check_target(const Write& write) {
  if (!write.target.writable()) throw ValueError("assignment destination is read-only");
  if (write.value.device() != write.target.device()) {
    throw DeviceError("cannot write an array on " + write.value.device().to_string() +
                      " into one on " + write.target.device().to_string() +
                      "; move it with to_device()");
  }
}

// Those that wait on streams which are no part of the same capture.
void settle_sources(std::span<const Write> writes) {
  for (const Write& write : writes) {
    for (const Array& source : write.sources()) settle(source);
  }
}

// Observers are told of writes whose values, one for each element, are made of other elements of
// the same memory.
void tell_if_detached(const Write& write) {
  if (write.store != StoreKind::plain || write.value.size() != write.target.size()) return;
  const std::vector<Array> read =
      is_stored(write.value) ? std::vector{write.value} : find_stored_below(write.value);
  const bool is_detached = std::any_of(read.begin(), read.end(), [&](const Array& array) {
    return may_overlap(array, write.target) && !is_same_view(array, write.target);
  });
  if (is_detached) tell_detached_write(write.value.nbytes());
}

}  // namespace

void write(std::span<const Write> writes) {
  for (const Write& each : writes) check_target(each);
  if (is_observed()) [[unlikely]]
    std::for_each(writes.begin(), writes.end(), tell_if_detached);
  if (Capture::any()) settle_sources(writes);
  compute_other_readers(writes);
  if (writes.size() == 1 && needs_nothing_first(writes.front())) return launch_writes(writes);
  std::vector<Write> detached(writes.begin(), writes.end());
  const bool has_rolls = std::all_of(writes.begin(), writes.end(), [](const Write& each) {
    return each.store == StoreKind::plain;
  });
  std::vector<Array> left;
  for (Write& each : detached) {
    for (Array& array : clear_sources(each, has_rolls)) left.push_back(std::move(array));
    detach(each.value, writes);
    if (each.offset.has_value()) detach(each.offset, writes);
    if (each.predicate.has_value()) detach(each.predicate, writes);
  }
  launch_writes(detached);
  note_left(left);
}

void write(const Array& value, const Array& target) {
  const Write one{.value = value, .target = target};
  write({&one, 1});
}

}  // namespace cupola
