// Bounds of positions: what is known, what the host can look at, and what is found out later.

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/threads/thread_owned.h"
#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_access.h"
#include "exec/launch/storage_lock.h"
#include "exec/transfers/late_checks.h"
#include "ops/indexing/index_plan.h"
#include "ops/indexing/known_range.h"
#include "ops/indexing/value_range.h"
#include "ops/support.h"
#include "runtime/stream.h"

namespace cupola {

namespace {

enum class Bounds : std::uint8_t { kept, not_known_yet };

// Positions that int64 cannot hold become the largest, which is out of any bounds.
Array as_int64(const Array& positions) {
  if (positions.dtype() != DType::uint64) return make_cast(positions, DType::int64);
  const Array largest =
      make_constant(std::numeric_limits<std::int64_t>::max(), DType::uint64, positions.device());
  return make_cast(make_ufunc(UfuncId::minimum, {positions, largest}), DType::int64);
}

Array counted_from_start(const Array& positions, std::int64_t extent) {
  const Array is_negative =
      make_ufunc(UfuncId::less, {positions, make_int64(0, positions.device())});
  const Array shifted =
      make_ufunc(UfuncId::add, {positions, make_int64(extent, positions.device())});
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

// The stored positions that were looked at last, as long as nothing is written there:
// `a[index] + b[index]` asks twice.
class CheckedPositions {
 public:
  std::optional<Bounds> found(const Array& positions, std::int64_t extent) const {
    if (!is_stored(positions) || positions.state().storage->is_exposed) return std::nullopt;
    const ArrayState& state = positions.state();
    const bool are_they = extent >= extent_ && storage_.lock() == state.storage &&
                          dtype_ == state.dtype && shape_ == state.shape &&
                          strides_ == state.layout.strides && offset_ == state.layout.offset &&
                          write_ == last_write(positions);
    return are_they ? std::optional(bounds_) : std::nullopt;
  }
  // `write` was the last before they were looked at.
  Bounds note(Bounds bounds, const Array& positions, std::int64_t extent, const LastWrite& write) {
    if (!is_stored(positions)) return bounds;
    const ArrayState& state = positions.state();
    storage_ = state.storage;
    dtype_ = state.dtype;
    shape_ = state.shape;
    strides_ = state.layout.strides;
    offset_ = state.layout.offset;
    extent_ = extent;
    write_ = write;
    bounds_ = bounds;
    return bounds;
  }

 private:
  std::weak_ptr<Storage> storage_;
  DType dtype_{};
  Dims shape_, strides_;
  std::int64_t offset_ = 0;
  std::int64_t extent_ = 0;
  LastWrite write_;
  Bounds bounds_{};
};

// Nothing of it is held, so that a reduction of it is one kernel.
Array out_of_bounds(const Array& positions, std::int64_t extent) {
  const Device& device = positions.device();
  const Array wide = as_int64(positions);
  const Array too_low = make_ufunc(UfuncId::less, {wide, make_int64(-extent, device)});
  const Array too_high = make_ufunc(UfuncId::greater_equal, {wide, make_int64(extent, device)});
  return make_ufunc(UfuncId::logical_or, {too_low, too_high});
}

[[noreturn]] void throw_out_of_bounds(std::int64_t position, std::int64_t extent,
                                      std::size_t axis) {
  throw IndexError(
      fmt::format("index {} is out of bounds for axis {} with size {}", position, axis, extent));
}

// Few positions that the host may look at as they are. False: they are for a device.
bool look_on_host(const Array& positions, std::int64_t extent, std::size_t axis) {
  if (positions.size() > kMaxOnHost || !is_stored(positions) || is_work_watched()) return false;
  if (!is_c_contiguous(positions) || positions.device().is_set()) return false;
  HostAccess access;
  if (!access.may_read(positions)) return false;
  dispatch_integer(positions.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const values = static_cast<const T*>(pointer_of(positions));
    for (std::int64_t i = 0; i < positions.size(); ++i) {
      if (std::cmp_less(values[i], -extent) || std::cmp_greater_equal(values[i], extent)) {
        throw_out_of_bounds(static_cast<std::int64_t>(values[i]), extent, axis);
      }
    }
  });
  return true;
}

// By the device, whose answer is waited for.
void look(const Array& positions, std::int64_t extent, std::size_t axis) {
  const Array any_bad = any(out_of_bounds(positions, extent));
  if (!read_bool(any_bad)) return;
  const Device& device = positions.device();
  const Array is_first = make_ufunc(UfuncId::equal, {make_index(positions.shape(), device),
                                                     argmax(out_of_bounds(positions, extent))});
  throw_out_of_bounds(
      read_int64(sum(make_select(is_first, as_int64(positions), make_int64(0, device)))), extent,
      axis);
}

// By the device, when it comes to it. Of several that are out of bounds one is named.
void look_later(const Array& positions, std::int64_t extent, std::size_t axis) {
  const Array bad = make_select(out_of_bounds(positions, extent), as_int64(positions),
                                make_int64(0, positions.device()));  // 0 is within bounds
  Dims axes(positions.shape().size(), 0);
  std::iota(axes.begin(), axes.end(), 0);
  const Array largest = make_reduce(make_cast(bad, DType::uint64), axes, UfuncId::maximum,
                                    DType::uint64, DType::uint64);
  check_later(largest, [extent, axis](const Scalar& found) {
    const auto position = static_cast<std::int64_t>(found.get<std::uint64_t>());
    if (position != 0) throw_out_of_bounds(position, extent, axis);
  });
}

// Throws IndexError for a position that is out of bounds, as far as that can be told without
// waiting for a device.
Bounds check_bounds(const Array& positions, const KnownRange& range, std::int64_t extent,
                    std::size_t axis) {
  if (positions.size() == 0) return Bounds::kept;
  if (range.is_known() && range.least >= -extent && range.largest < extent) return Bounds::kept;
  auto& checked = ThreadOwned<CheckedPositions>::get();
  if (const auto found = checked.found(positions, extent)) return *found;
  const LastWrite write = last_write(positions);
  if (look_on_host(positions, extent, axis)) {
    return checked.note(Bounds::kept, positions, extent, write);
  }
  if (range.is_exact) {
    throw_out_of_bounds(range.least < -extent ? range.least : range.largest, extent, axis);
  }
  // Nothing is within an axis without elements: that needs no answer, and no kernel that could run.
  if (extent == 0 || !answers_later(positions.device())) {
    look(positions, extent, axis);
    return checked.note(Bounds::kept, positions, extent, write);
  }
  look_later(positions, extent, axis);
  return checked.note(Bounds::not_known_yet, positions, extent, write);
}

}  // namespace

Array bounded_positions(const Array& positions, std::int64_t extent, std::size_t axis,
                        IndexMode mode) {
  // A graph is launched with positions that nothing can look at before.
  const bool is_captured = current_stream(positions.device())->is_capturing();
  if (mode == IndexMode::raise && is_captured) {
    if (extent == 0 && positions.size() > 0) {
      throw IndexError(fmt::format("axis {} has size 0: there is nothing to pick", axis));
    }
    mode = IndexMode::wrap;
  }
  if (mode == IndexMode::raise) {
    const KnownRange range = value_range(positions);
    if (check_bounds(positions, range, extent, axis) == Bounds::kept) {
      const Array wide = make_cast(positions, DType::int64);
      const bool may_be_negative = kind_of(positions.dtype()) == DTypeKind::signed_integer &&
                                   !(range.is_known() && range.least >= 0);
      return may_be_negative ? counted_from_start(wide, extent) : wide;
    }
    mode = IndexMode::wrap;
  }
  Array wide = as_int64(positions);
  const KnownRange range = is_captured ? KnownRange() : value_range(wide);
  const bool is_below = range.is_known() && range.largest < extent;
  const bool is_natural = range.is_known() && range.least >= 0;
  const Device& device = positions.device();
  if (mode == IndexMode::wrap) {
    if (is_natural && is_below) return wide;
    return make_ufunc(UfuncId::remainder, {wide, make_int64(extent, device)});
  }
  if (!is_natural) wide = make_ufunc(UfuncId::maximum, {wide, make_int64(0, device)});
  return is_below ? wide : make_ufunc(UfuncId::minimum, {wide, make_int64(extent - 1, device)});
}

}  // namespace cupola
