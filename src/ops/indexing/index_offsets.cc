// Arithmetic on positions: bounds, wrapping, element offsets.

#include <fmt/format.h>

#include <limits>

#include "base/threads/thread_owned.h"
#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/storage_lock.h"
#include "ops/indexing/index_plan.h"
#include "ops/support.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

Array constant(std::int64_t value, const Device& device) {
  return make_constant(value, DType::int64, device);
}

// Bytes and 16-bit integers cannot leave a long axis.
bool cannot_fail(DType dtype, std::int64_t extent) {
  if (item_size(dtype) > 2) return false;
  const std::int64_t values = std::int64_t{1} << (8 * item_size(dtype));
  return kind_of(dtype) == DTypeKind::signed_integer ? extent >= values / 2 : extent >= values;
}

// Positions that int64 cannot hold become the largest, which is out of any bounds.
Array as_int64(const Array& positions) {
  if (positions.dtype() != DType::uint64) return make_cast(positions, DType::int64);
  const Array largest =
      make_constant(std::numeric_limits<std::int64_t>::max(), DType::uint64, positions.device());
  return make_cast(make_ufunc(UfuncId::minimum, {positions, largest}), DType::int64);
}

Array counted_from_start(const Array& positions, std::int64_t extent) {
  const Array is_negative = make_ufunc(UfuncId::less, {positions, constant(0, positions.device())});
  const Array shifted = make_ufunc(UfuncId::add, {positions, constant(extent, positions.device())});
  return make_select(is_negative, shifted, positions);
}

// What wrote stored elements last; nothing in common with any other write.
struct LastWrite {
  std::uint64_t stream = 0;
  std::uint64_t sequence = 0;
  std::uint64_t by_host = 0;
  friend bool operator==(const LastWrite&, const LastWrite&) = default;
};

LastWrite last_write(const Array& array) {
  if (!is_stored(array)) return {};
  Storage& storage = *array.state().storage;
  const StorageLock lock(storage);
  const StorageUse& write = storage.uses.write;
  const std::uint64_t by_host = storage.uses.host_writes;
  return write.stream ? LastWrite{write.stream->id(), write.sequence, by_host}
                      : LastWrite{.by_host = by_host};
}

// The stored positions that were found within bounds last, as long as nothing is written there:
// `a[index] + b[index]` asks twice.
class CheckedPositions {
 public:
  bool holds(const Array& positions, std::int64_t extent) const {
    if (!is_stored(positions) || positions.state().storage->is_exposed) return false;
    const ArrayState& state = positions.state();
    return extent >= extent_ && storage_.lock() == state.storage && dtype_ == state.dtype &&
           shape_ == state.shape && strides_ == state.layout.strides &&
           offset_ == state.layout.offset && write_ == last_write(positions);
  }
  // `write` was the last before they were looked at.
  void note(const Array& positions, std::int64_t extent, const LastWrite& write) {
    if (!is_stored(positions)) return;
    const ArrayState& state = positions.state();
    storage_ = state.storage;
    dtype_ = state.dtype;
    shape_ = state.shape;
    strides_ = state.layout.strides;
    offset_ = state.layout.offset;
    extent_ = extent;
    write_ = write;
  }

 private:
  std::weak_ptr<Storage> storage_;
  DType dtype_{};
  Dims shape_, strides_;
  std::int64_t offset_ = 0;
  std::int64_t extent_ = 0;
  LastWrite write_;
};

Array scaled(const Array& positions, std::int64_t factor) {
  if (factor == 1) return positions;
  return make_ufunc(UfuncId::multiply, {positions, constant(factor, positions.device())});
}

}  // namespace

namespace {

// Nothing of it is held, so that a reduction of it is one kernel.
Array out_of_bounds(const Array& positions, std::int64_t extent) {
  const Device& device = positions.device();
  const Array wide = as_int64(positions);
  const Array too_low = make_ufunc(UfuncId::less, {wide, constant(-extent, device)});
  const Array too_high = make_ufunc(UfuncId::greater_equal, {wide, constant(extent, device)});
  return make_ufunc(UfuncId::logical_or, {too_low, too_high});
}

}  // namespace

void check_bounds(const Array& positions, std::int64_t extent, std::size_t axis) {
  if (positions.size() == 0 || cannot_fail(positions.dtype(), extent)) return;
  auto& checked = ThreadOwned<CheckedPositions>::get();
  if (checked.holds(positions, extent)) return;
  const LastWrite write = last_write(positions);
  const Array any_bad = any(out_of_bounds(positions, extent));
  if (!read_bool(any_bad)) return checked.note(positions, extent, write);
  const Device& device = positions.device();
  const Array is_first = make_ufunc(UfuncId::equal, {make_index(positions.shape(), device),
                                                     argmax(out_of_bounds(positions, extent))});
  const std::int64_t found =
      read_int64(sum(make_select(is_first, as_int64(positions), constant(0, device))));
  throw IndexError(
      fmt::format("index {} is out of bounds for axis {} with size {}", found, axis, extent));
}

Array bounded_positions(const Array& positions, std::int64_t extent, std::size_t axis,
                        IndexMode mode) {
  const Device& device = positions.device();
  // A graph is launched with positions that nothing can look at before.
  if (mode == IndexMode::raise && current_stream(device)->is_capturing()) {
    if (extent == 0 && positions.size() > 0) {
      throw IndexError(fmt::format("axis {} has size 0: there is nothing to pick", axis));
    }
    mode = IndexMode::wrap;
  }
  if (mode == IndexMode::raise) {
    check_bounds(positions, extent, axis);
    const Array wide = make_cast(positions, DType::int64);
    const bool signed_positions = kind_of(positions.dtype()) == DTypeKind::signed_integer;
    return signed_positions ? counted_from_start(wide, extent) : wide;
  }
  const Array wide = as_int64(positions);
  if (mode == IndexMode::wrap) {
    return make_ufunc(UfuncId::remainder, {wide, constant(extent, device)});
  }
  const Array not_below = make_ufunc(UfuncId::maximum, {wide, constant(0, device)});
  return make_ufunc(UfuncId::minimum, {not_below, constant(extent - 1, device)});
}

namespace {

// A term that many elements of the result share is computed once.
Array shared_term(const Array& term, const Dims& result_shape) {
  return term.size() <= element_count(result_shape) / 2 ? evaluate(term) : term;
}

// What an advanced term adds to the offsets.
Array advanced_offsets(const IndexPlan& plan, const AdvancedTerm& term) {
  const std::size_t trailing =
      plan.result_shape.size() - plan.position - plan.advanced_shape.size();
  // Terms that broadcast to nothing pick nothing, whatever they hold.
  const bool picks = element_count(plan.advanced_shape) > 0;
  const Array placed = with_trailing_ones(term.positions, trailing);
  const Array positions =
      term.in_bounds || !picks
          ? make_cast(placed, DType::int64)
          : bounded_positions(placed, plan.shape[term.dimension], term.axis, IndexMode::raise);
  return shared_term(scaled(positions, plan.layout.strides[term.dimension]), plan.result_shape);
}

}  // namespace

Array offsets_node(const IndexPlan& plan, const Device& device) {
  const std::size_t rank = plan.result_shape.size();
  Array offsets;
  const auto accumulate = [&](const Array& term) {
    offsets = offsets.has_value() ? make_ufunc(UfuncId::add, {offsets, term}) : term;
  };
  std::vector<bool> is_advanced(plan.shape.size(), false);
  for (const AdvancedTerm& term : plan.advanced) {
    is_advanced[term.dimension] = true;
    accumulate(advanced_offsets(plan, term));
  }
  std::size_t axis = plan.position == 0 ? plan.advanced_shape.size() : 0;
  for (std::size_t d = 0; d < plan.shape.size(); ++d) {
    if (is_advanced[d]) continue;
    if (plan.shape[d] != 1) {
      const Array positions = axis_positions(plan.shape[d], axis, rank, device);
      accumulate(shared_term(scaled(positions, plan.layout.strides[d]), plan.result_shape));
    }
    if (++axis == plan.position) axis += plan.advanced_shape.size();
  }
  if (offsets.has_value() && offsets.shape() == plan.result_shape) return offsets;
  const Array zero = make_scalar(Scalar(std::int64_t{0}), plan.result_shape, device);
  return offsets.has_value() ? make_ufunc(UfuncId::add, {zero, offsets}) : zero;
}

Array flat_offsets(const Dims& shape, const Dims& strides, const Array& numbers) {
  if (is_c_contiguous(shape, strides)) return numbers;
  const Device& device = numbers.device();
  Array offsets;
  Array rest = numbers;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    const Array position = make_ufunc(UfuncId::remainder, {rest, constant(shape[d], device)});
    const Array term = scaled(position, strides[d]);
    offsets = offsets.has_value() ? make_ufunc(UfuncId::add, {offsets, term}) : term;
    rest = make_ufunc(UfuncId::floor_divide, {rest, constant(shape[d], device)});
  }
  return offsets.has_value() ? offsets : numbers;
}

}  // namespace cupola
