// write(): into memory that others may see.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cupola/error.h"
#include "exec/evaluation/claim.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/failure.h"
#include "exec/evaluation/runner.h"
#include "exec/host/host_copy.h"
#include "exec/launch/launcher.h"
#include "exec/lending/work_graph.h"
#include "graph/fusion.h"
#include "graph/readers.h"
#include "memory/hooks.h"
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

// What else the kernel of a write is to store and to leave, once nothing stands in its way.
Region clear_sources(const Write& write, bool has_rolls, bool stores_live_outputs = false) {
  const Dims& space = write.space();
  const int free = free_operations(write.target.device(), element_count(space));
  return evaluate_below(write.sources(), {.space = space,
                                          .stores_live_outputs = stores_live_outputs,
                                          .has_rolls = has_rolls,
                                          .free_operations = free});
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

// Whether values, one for each element, are made of other elements of the same memory.
bool is_detached(const Write& write) {
  const std::vector<Array> read =
      is_stored(write.value) ? std::vector{write.value} : find_stored_below(write.value);
  return std::any_of(read.begin(), read.end(), [&](const Array& array) {
    return may_overlap(array, write.target) && !is_same_view(array, write.target);
  });
}

// Tells observers of writes that are not one kernel. Owns nothing, as owners decide what is stored.
class ToldWrites {
 public:
  explicit ToldWrites(std::span<const Write> writes) {
    for (const Write& write : writes) {
      const NodePointer node = node_of(write.value);
      const bool is_plain =
          write.store == StoreKind::plain && write.value.size() == write.target.size();
      if (!is_plain) continue;
      if (is_detached(write)) {
        tell_detached_write(write.value.nbytes());
      } else if (node) {
        add(write.value, write.target);
        for (const Array& input : node->inputs) add(input, write.target);
      }
    }
  }
  ~ToldWrites() { tell(); }
  // What is stored from now on, the writes' own kernel stores.
  void tell() {
    for (const std::weak_ptr<ArrayState>& part : std::exchange(parts_, {})) {
      const std::shared_ptr<ArrayState> state = part.lock();
      if (!state || !is_stored(Array(state))) continue;
      tell_unfused_write(Array(state).nbytes());
      break;  // once for a write
    }
  }
  ToldWrites(const ToldWrites&) = delete;
  ToldWrites& operator=(const ToldWrites&) = delete;

 private:
  void add(const Array& value, const Array& target) {
    const NodePointer node = node_of(value);
    if (!node || !is_elementwise(node->kind) || node->kind == NodeKind::scalar) return;
    if (value.size() == target.size()) parts_.push_back(value.handle());
  }

  std::vector<std::weak_ptr<ArrayState>> parts_;
};

// What is not to be stored, but reads what is overwritten, is stored all the same.
void hold_readers(Region& cleared, const Write& write) {
  std::erase_if(cleared.left, [&](const Array& array) {
    const bool fits =
        array.shape() == write.space() && cleared.live_outputs.size() < kMaxLiveOutputs;
    if (!fits || !reads(array, *write.target.state().storage)) return false;
    if (may_stay_pending(array, write.target)) return false;
    cleared.live_outputs.push_back(array);
    return true;
  });
}

// By one kernel. False: there is no memory for live outputs.
bool try_to_launch_with(const std::vector<Array>& live_outputs, const Write& write) {
  const InterpreterBarrier barrier;
  const Computing computing;  // to find memory would compute what is claimed here
  const Claim claim(live_outputs);
  std::vector<Write> all;
  try {
    all = writes_for(claim.pending());
  } catch (const OutOfMemoryError&) {
    return false;
  }
  all.push_back(write);  // last: the others may read what it overwrites
  launch_writes(all);
  all.pop_back();
  for (const Write& each : all) publish(each.value, each.target);
  return true;
}

// The write and live outputs below it.
void launch_with(const std::vector<Array>& live_outputs, const Write& write) {
  if (live_outputs.empty()) return launch_writes({&write, 1});
  const bool is_launched =
      compute_for(write.value, [&] { return try_to_launch_with(live_outputs, write); });
  if (is_launched) return;
  evaluate(live_outputs, Live::stored);  // finds memory by what it computes
  launch_writes({&write, 1});
}

// Each element where the value has it.
void write_plainly(Write write, std::optional<ToldWrites>& told) {
  Region cleared = clear_sources(write, true, true);
  if (is_disturbed(write.value, {&write, 1})) {
    compute_other_readers({&write, 1});
    detach(write.value, {&write, 1});
    launch_writes({&write, 1});
  } else {
    hold_readers(cleared, write);
    compute_readers(write.target, write.sources(), cleared.live_outputs);
    if (told) told->tell();
    launch_with(cleared.live_outputs, write);
  }
  note_left(cleared.left);
}

bool is_plain(const Write& write) {
  return write.store == StoreKind::plain && !write.offset.has_value() &&
         !write.predicate.has_value() && write.value.shape() == write.target.shape();
}

// As in `a[i] += b`, which writes twice.
bool is_there(const Write& write) {
  return is_stored(write.value) && write.value.dtype() == write.target.dtype() &&
         is_same_view(write.value, write.target);
}

// In several parts, at places that are computed, or of values of another shape.
void write_in_parts(std::span<const Write> writes) {
  compute_other_readers(writes);
  std::vector<Write> detached(writes.begin(), writes.end());
  const bool has_rolls = std::all_of(writes.begin(), writes.end(), [](const Write& each) {
    return each.store == StoreKind::plain;
  });
  std::vector<Array> left;
  for (Write& each : detached) {
    for (Array& array : clear_sources(each, has_rolls).left) left.push_back(std::move(array));
    detach(each.value, writes);
    if (each.offset.has_value()) detach(each.offset, writes);
    if (each.predicate.has_value()) detach(each.predicate, writes);
  }
  launch_writes(detached);
  note_left(left);
}

}  // namespace

void write(std::span<const Write> writes) {
  for (const Write& each : writes) check_target(each);
  const bool is_one = writes.size() == 1 && is_plain(writes.front());
  if (is_one && is_there(writes.front())) return;
  if (writes.size() == 1 && write_on_host(writes.front())) return;
  std::optional<ToldWrites> told;
  if (is_observed()) [[unlikely]]
    told.emplace(writes);
  if (Capture::any()) settle_sources(writes);
  if (writes.size() == 1 && needs_nothing_first(writes.front())) {
    compute_other_readers(writes);
    return launch_writes(writes);
  }
  while_stale([&] { is_one ? write_plainly(writes.front(), told) : write_in_parts(writes); });
}

void write(const Array& value, const Array& target) {
  const Write one{.value = value, .target = target};
  write({&one, 1});
}

}  // namespace cupola
