#include "exec/evaluator.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/mutant.h"
#include "cupola/error.h"
#include "exec/known_launch.h"
#include "exec/launcher.h"
#include "graph/fusion.h"
#include "memory/buffer.h"
#include "memory/hooks.h"

namespace cupola {

namespace {

void check_extents(const Dims& shape) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw ValueError("negative dimensions are not allowed: " + to_string(shape));
  }
}

std::size_t byte_count(DType dtype, const Dims& shape) {
  const std::int64_t count = element_count(shape);
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  if (count > PTRDIFF_MAX / item) {
    throw ValueError("array is too big: " + to_string(shape) + " of " +
                     std::string(name_of(dtype)));
  }
  return static_cast<std::size_t>(count * item);
}

Array allocate_strided(DType dtype, const Dims& shape, const Device& device, Dims strides) {
  auto storage = allocate_storage(device, byte_count(dtype, shape), current_stream(device));
  return make_stored(dtype, shape, std::move(storage), Layout{std::move(strides), 0});
}

// Whether `axis` should lie inside `inner`, which is inside it in C order: its strides are the
// smaller ones. Nothing where no operand moves along both. C order wins between operands.
std::optional<bool> belongs_inside(std::span<const Dims> strides, std::size_t axis,
                                   std::size_t inner) {
  std::optional<bool> result;
  for (const Dims& operand : strides) {
    if (operand[axis] == 0 || operand[inner] == 0) continue;
    const bool smaller = std::abs(operand[axis]) < std::abs(operand[inner]);
    result = result.value_or(true) && smaller;
  }
  return result;
}

// Axes from the outermost to the innermost, as NumPy's iterator sorts them: an axis moves past
// those that no operand can compare it with.
std::vector<std::size_t> memory_order(std::span<const Dims> strides, std::size_t rank) {
  std::vector<std::size_t> inner_first;
  for (std::size_t axis = rank; axis-- > 0;) {
    std::size_t position = inner_first.size();
    for (std::size_t i = position; i-- > 0;) {
      const std::optional<bool> inside = belongs_inside(strides, axis, inner_first[i]);
      if (inside == false) break;
      if (inside) position = i;
    }
    inner_first.insert(inner_first.begin() + static_cast<std::ptrdiff_t>(position), axis);
  }
  std::reverse(inner_first.begin(), inner_first.end());
  return inner_first;
}

void publish(const Array& array, const Array& stored) {
  ArrayState& state = array.state();
  state.storage = stored.state().storage;
  state.layout = stored.state().layout;
  state.node.reset();
  state.inputs.clear();
  state.ready.store(true, std::memory_order_release);
}

void evaluate_barriers(std::span<const Array> roots, const Dims& space, bool row_major) {
  for (const Array& barrier : find_barriers(roots, space, row_major)) evaluate(barrier);
}

void evaluate_elementwise(std::span<const Array> arrays) {
  evaluate_barriers(arrays, arrays.front().shape(), true);
  std::vector<Write> writes;
  for (const Array& array : arrays) {
    const std::vector<Array> leaves = find_leaves(array).walked;
    writes.push_back(
        {.value = array,
         .target = allocate_like(array.dtype(), array.shape(), array.device(), leaves)});
  }
  const PlannedLaunch planned = plan_map(writes);
  const auto publish_all = [&] {
    for (std::size_t i = 0; i < arrays.size(); ++i) publish(arrays[i], writes[i].target);
  };
  if (CUPOLA_MUTANT(publish_early)) {
    publish_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    launch(planned);
    return;
  }
  launch(planned);
  publish_all();
}

void evaluate_reduction(const Array& array) {
  const std::vector<Array>& inputs = array.state().inputs;
  evaluate_barriers({&inputs[0], 1}, inputs[0].shape(), false);
  for (std::size_t i = 1; i < inputs.size(); ++i) evaluate(inputs[i]);
  const Array target = allocate_array(array.dtype(), array.shape(), array.device());
  launch_reduction(array, target);
  publish(array, target);
}

void evaluate_one(const Array& array) {
  if (is_elementwise(array.state().node->kind)) {
    evaluate_elementwise({&array, 1});
  } else {
    evaluate_reduction(array);
  }
}

bool is_pending_elementwise(const Array& array) {
  return !is_stored(array) && is_elementwise(array.state().node->kind);
}

void evaluate_pending(std::span<const Array> arrays) {
  const InterpreterBarrier barrier;
  if (arrays.size() > 1 && std::all_of(arrays.begin(), arrays.end(), is_pending_elementwise) &&
      std::all_of(arrays.begin(), arrays.end(),
                  [&](const Array& array) { return array.shape() == arrays.front().shape(); })) {
    return evaluate_elementwise(arrays);
  }
  for (const Array& array : arrays) {
    const std::lock_guard lock(array.state().mutex);
    if (!is_stored(array)) evaluate_one(array);
  }
}

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
  launch(plan_map({&copy, 1}));
  source = temporary;
}

void check_target(const Write& write) {
  if (!write.target.writable()) throw ValueError("assignment destination is read-only");
  if (write.value.device() != write.target.device()) {
    throw DeviceError("cannot write an array on " + write.value.device().to_string() +
                      " into one on " + write.target.device().to_string() +
                      "; move it with to_device()");
  }
}

}  // namespace

Array allocate_array(DType dtype, const Dims& shape, const Device& device, char order) {
  check_extents(shape);
  byte_count(dtype, shape);
  return allocate_strided(dtype, shape, device, order == 'F' ? f_strides(shape) : c_strides(shape));
}

Array find_array(DType dtype, const Dims& shape, const Device& device, char order) {
  check_extents(shape);
  auto storage = find_storage(device, byte_count(dtype, shape));
  if (!storage) return {};
  Dims strides = order == 'F' ? f_strides(shape) : c_strides(shape);
  return make_stored(dtype, shape, std::move(storage), Layout{std::move(strides), 0});
}

Array allocate_like(DType dtype, const Dims& shape, const Device& device,
                    std::span<const Array> operands) {
  const bool all_c = std::all_of(operands.begin(), operands.end(), [&](const Array& operand) {
    return operand.rank() == 0 || (operand.shape() == shape && is_c_contiguous(operand));
  });
  if (all_c || element_count(shape) == 0) return allocate_array(dtype, shape, device);
  std::vector<Dims> operand_strides;
  for (const Array& operand : operands) {
    if (operand.rank() == 0) continue;
    operand_strides.push_back(broadcast_strides(operand.shape(), strides_of(operand), shape));
  }
  const std::vector<std::size_t> order = memory_order(operand_strides, shape.size());
  Dims strides(shape.size(), 0);
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= shape[order[i]];
  }
  return allocate_strided(dtype, shape, device, std::move(strides));
}

void evaluate(std::span<const Array> arrays) {
  if (std::all_of(arrays.begin(), arrays.end(), is_stored)) return;
  try {
    evaluate_pending(arrays);
  } catch (const OutOfMemoryError&) {
    // The arrays are pending as before, and no lock is held: unreachable ones may be collected.
    if (!run_collector()) throw;
    evaluate_pending(arrays);
  }
}

void write(std::span<const Write> writes) {
  if (writes.size() == 1) {
    check_target(writes.front());
    if (launch_if_known_kind(writes.front())) return;
  }
  std::vector<Write> detached(writes.begin(), writes.end());
  for (Write& each : detached) {
    check_target(each);
    evaluate_barriers(each.sources(), each.space(), true);
    detach(each.value, writes);
    if (each.offset.has_value()) detach(each.offset, writes);
    if (each.predicate.has_value()) detach(each.predicate, writes);
  }
  launch(plan_map(detached));
}

void write(const Array& value, const Array& target) {
  const Write one{.value = value, .target = target};
  write({&one, 1});
}

}  // namespace cupola
