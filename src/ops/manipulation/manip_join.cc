// Joining and repeating: results in new memory, written piece by piece.

#include <fmt/format.h>

#include <algorithm>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/transfer.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_result.h"
#include "graph/node.h"
#include "graph/result_layout.h"
#include "ops/few_elements.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

// All on one device: the set that the others are members of, where there is one.
std::vector<Array> on_one_device(std::span<const Array> arrays) {
  Device device = arrays.front().device();
  for (const Array& array : arrays) {
    if (array.device().contains(device)) device = array.device();
  }
  std::vector<Array> moved;
  for (const Array& array : arrays) {
    if (!device.contains(array.device())) {
      throw DeviceError("cannot join arrays on " + device.to_string() + " and " +
                        array.device().to_string() + "; move one with to_device()");
    }
    moved.push_back(to_device(array, device));
  }
  return moved;
}

// The shape of the arrays joined along `axis`.
Dims joined_shape(std::span<const Array> arrays, std::size_t axis) {
  Dims shape = arrays.front().shape();
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    const Dims& other = arrays[i].shape();
    if (other.size() != shape.size()) {
      throw ValueError(fmt::format(
          "all the input arrays must have same number of dimensions, but the array at index 0 has "
          "{} dimension(s) and the array at index {} has {} dimension(s)",
          shape.size(), i, other.size()));
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d == axis || other[d] == shape[d]) continue;
      throw ValueError(fmt::format(
          "all the input array dimensions except for the concatenation axis must match exactly, "
          "but along dimension {}, the array at index 0 has size {} and the array at index {} has "
          "size {}",
          d, shape[d], i, other[d]));
    }
    if (__builtin_add_overflow(shape[axis], other[axis], &shape[axis])) {
      throw ValueError("the joined array is too big");
    }
  }
  return shape;
}

DType joined_dtype(std::span<const Array> arrays, const Array& out, std::optional<DType> dtype,
                   Casting casting) {
  if (out.has_value() && dtype) {
    throw TypeError(
        "concatenate() only takes `out` or `dtype` as an argument, but both were provided.");
  }
  std::vector<DType> types;
  for (const Array& array : arrays) types.push_back(array.dtype());
  const DType result = out.has_value() ? out.dtype() : dtype ? *dtype : result_type(types, {});
  for (const DType type : types) check_cast(type, result, casting);
  return result;
}

// Whether `axis`, which is inside `outer` in C order, should lie outside it: its strides are the
// larger ones. Nothing where no array has several elements along both. C order wins between arrays.
std::optional<bool> belongs_outside(std::span<const Array> arrays, std::size_t axis,
                                    std::size_t outer) {
  std::optional<bool> result;
  for (const Array& array : arrays) {
    if (array.shape()[axis] == 1 || array.shape()[outer] == 1) continue;
    const bool larger = std::abs(strides_of(array)[axis]) > std::abs(strides_of(array)[outer]);
    result = result.value_or(true) && larger;
  }
  return result;
}

// Dense ones in the order of those of all arrays, as NumPy sorts them to join arrays: from the
// outermost dimension on, where its iterator goes from the innermost.
Dims joined_strides(const Dims& shape, std::span<const Array> arrays) {
  for (const Array& array : arrays) evaluate(array);
  std::vector<std::size_t> outer_first;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::size_t position = outer_first.size();
    for (std::size_t i = position; i-- > 0;) {
      const std::optional<bool> outside = belongs_outside(arrays, axis, outer_first[i]);
      if (outside == false) break;
      if (outside) position = i;
    }
    outer_first.insert(outer_first.begin() + static_cast<std::ptrdiff_t>(position), axis);
  }
  return dense_strides(shape, outer_first);
}

// The part of `a` from `first` on along `axis`.
Array part_of(const Array& a, std::size_t axis, std::int64_t first, std::int64_t extent) {
  Dims shape = a.shape();
  shape[axis] = extent;
  Layout layout = a.state().layout;
  layout.offset += first * layout.strides[axis];
  return make_view(a, std::move(shape), std::move(layout));
}

void fill_parts(std::span<const Array> arrays, const Array& target, std::size_t axis) {
  std::int64_t first = 0;
  for (const Array& array : arrays) {
    const std::int64_t extent = array.shape()[axis];
    if (array.size() > 0) write(array, part_of(target, axis, first, extent));
    first += extent;
  }
}

Array join(std::span<const Array> given, std::size_t axis, const Array& out,
           std::optional<DType> dtype, Casting casting) {
  if (!out.has_value() && !dtype) {
    Array few = concatenate_at_call(given, static_cast<std::int64_t>(axis));
    if (few.has_value()) return few;
  }
  const std::vector<Array> arrays = on_one_device(given);
  const Dims shape = joined_shape(arrays, axis);
  const DType type = joined_dtype(arrays, out, dtype, casting);
  const Device& device = arrays.front().device();
  if (!out.has_value()) {
    check_size(type, shape);
    const Array target = allocate_strided(type, shape, device, joined_strides(shape, arrays));
    fill_parts(arrays, target, axis);
    return target;
  }
  check_output(out, device);
  if (out.rank() != shape.rank()) throw ValueError("Output array has wrong dimensionality");
  if (out.shape() != shape) {
    throw ValueError("Output array is the wrong shape: " + to_string(out.shape()) + " instead of " +
                     to_string(shape));
  }
  evaluate(out);
  const bool overlaps = std::any_of(arrays.begin(), arrays.end(), [&](const Array& array) {
    return may_overlap(evaluate(array), out);
  });
  const Array target = overlaps ? allocate_array(type, shape, device) : out;
  fill_parts(arrays, target, axis);
  if (overlaps) write(target, out);
  return out;
}

// Whether what uses the array rolled may read it where it lies: the result is row-major, and walks
// the array in order.
bool may_be_read_rolled(const Array& a) {
  return a.size() > 0 && a.rank() <= kMaxRolledRank && !a.device().is_set() &&
         ordered_strides(a, 'K') == c_strides(a.shape());
}

// Elements 0 .. shift-1 of the result come from the end of `a`.
void roll_into(const Array& a, const Array& target, const Dims& shifts, std::size_t axis) {
  if (axis == shifts.size()) {
    if (a.size() > 0) write(a, target);
    return;
  }
  const std::int64_t extent = a.shape()[axis];
  const std::int64_t shift = shifts[axis];
  roll_into(part_of(a, axis, 0, extent - shift), part_of(target, axis, shift, extent - shift),
            shifts, axis + 1);
  if (shift == 0) return;
  roll_into(part_of(a, axis, extent - shift, shift), part_of(target, axis, 0, shift), shifts,
            axis + 1);
}

// Every element `count` times in a row along `axis`.
Array repeat_evenly(const Array& a, std::int64_t count, std::size_t axis) {
  if (count < 0) throw ValueError("repeats may not contain negative values.");
  Dims shape = a.shape();
  if (__builtin_mul_overflow(shape[axis], count, &shape[axis])) {
    throw ValueError("the repeated array is too big");
  }
  Dims stretched = a.shape();
  stretched.insert(axis + 1, count);
  const Array expanded = expand_dims(a, {static_cast<std::int64_t>(axis) + 1});
  const Array target = allocate_array(a.dtype(), stretched, a.device());
  if (target.size() > 0) write(expanded, target);
  return reshape(target, shape);
}

Array repeat_each(const Array& a, std::span<const std::int64_t> counts, std::size_t axis) {
  if (static_cast<std::int64_t>(counts.size()) != a.shape()[axis]) {
    throw ValueError(fmt::format("operands could not be broadcast together with shape ({},) ({},)",
                                 a.shape()[axis], counts.size()));
  }
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    if (count < 0) throw ValueError("repeats may not contain negative values.");
    if (__builtin_add_overflow(total, count, &total)) {
      throw ValueError("the repeated array is too big");
    }
  }
  std::vector<std::int64_t> indices(static_cast<std::size_t>(total));
  auto next = indices.begin();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    next = std::fill_n(next, counts[i], static_cast<std::int64_t>(i));
  }
  return take(a, from_vector(indices, a.device()), static_cast<std::int64_t>(axis));
}

}  // namespace

Array concatenate(std::span<const Array> arrays, std::optional<std::int64_t> axis, const Array& out,
                  std::optional<DType> dtype, Casting casting) {
  if (arrays.empty()) throw ValueError("need at least one array to concatenate");
  if (!axis) {
    std::vector<Array> lines;
    for (const Array& array : arrays) lines.push_back(ravel(array));
    return join(lines, 0, out, dtype, casting);
  }
  if (arrays.front().rank() == 0) {
    throw ValueError("zero-dimensional arrays cannot be concatenated");
  }
  const int normal = normalize_axis(*axis, arrays.front().rank());
  return join(arrays, static_cast<std::size_t>(normal), out, dtype, casting);
}

Array stack(std::span<const Array> arrays, std::int64_t axis, const Array& out,
            std::optional<DType> dtype, Casting casting) {
  if (arrays.empty()) throw ValueError("need at least one array to stack");
  for (const Array& array : arrays) {
    if (array.shape() != arrays.front().shape()) {
      throw ValueError("all input arrays must have the same shape: " +
                       to_string(arrays.front().shape()) + " and " + to_string(array.shape()));
    }
  }
  const int normal = normalize_axis(axis, arrays.front().rank() + 1);
  std::vector<Array> expanded;
  for (const Array& array : arrays) expanded.push_back(expand_dims(array, {normal}));
  return join(expanded, static_cast<std::size_t>(normal), out, dtype, casting);
}

Array roll(const Array& a, const Dims& shifts, const std::optional<Dims>& axes) {
  if (!axes) {
    std::int64_t total = 0;
    for (const std::int64_t shift : shifts) total += shift;
    return reshape(roll(ravel(a), {total}, Dims{0}), a.shape());
  }
  if (shifts.size() != axes->size() && shifts.size() != 1 && axes->size() != 1) {
    throw ValueError("'shift' and 'axis' should be scalars or 1D sequences of one length, not " +
                     to_string(shifts) + " and " + to_string(*axes));
  }
  Dims total(a.shape().size(), 0);
  for (std::size_t i = 0; i < std::max(shifts.size(), axes->size()); ++i) {
    const std::int64_t axis = (*axes)[axes->size() == 1 ? 0 : i];
    const auto normal = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    const std::int64_t extent = std::max<std::int64_t>(a.shape()[normal], 1);
    const std::int64_t shift = shifts[shifts.size() == 1 ? 0 : i] % extent;
    total[normal] = (total[normal] + shift + extent) % extent;
  }
  if (!is_laid_out(a)) evaluate(a);
  if (may_be_read_rolled(a)) {
    if (Array now = roll_at_call(a, total); now.has_value()) return now;
    const Array rolled = make_roll(a, std::move(total));
    lay_out(rolled, c_strides(a.shape()));
    return defer(rolled);
  }
  evaluate(a);
  const Array target = allocate_ordered(a.dtype(), a, 'K');
  roll_into(a, target, total, 0);
  return target;
}

Array tile(const Array& a, const Dims& repetitions) {
  const std::size_t rank = std::max(a.shape().size(), repetitions.size());
  if (std::all_of(repetitions.begin(), repetitions.end(), [](auto count) { return count == 1; })) {
    Dims with_ones;
    with_ones.resize(rank - a.shape().size());
    std::fill(with_ones.begin(), with_ones.end(), 1);
    for (const std::int64_t extent : a.shape()) with_ones.push_back(extent);
    return reshape(copy(a, 'K'), with_ones);
  }
  Dims interleaved;  // repetition, extent, repetition, extent ...
  Dims source;
  Dims shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t skipped = rank - a.shape().size();
    const std::size_t plain = rank - repetitions.size();
    const std::int64_t extent = i < skipped ? 1 : a.shape()[i - skipped];
    const std::int64_t count = i < plain ? 1 : repetitions[i - plain];
    if (count != 1) {
      interleaved.push_back(count);
      source.push_back(1);
    }
    interleaved.push_back(extent);
    source.push_back(extent);
    std::int64_t product = 0;
    if (__builtin_mul_overflow(extent, count, &product)) {
      throw ValueError("the tiled array is too big");
    }
    if (product < 0) throw ValueError("negative dimensions are not allowed");
    shape.push_back(product);
  }
  if (element_count(shape) == 0) return allocate_array(a.dtype(), shape, a.device());
  const Array target = allocate_array(a.dtype(), interleaved, a.device());
  write(reshape(a, source), target);
  return reshape(target, shape);
}

Array repeat(const Array& a, std::span<const std::int64_t> counts,
             std::optional<std::int64_t> axis) {
  const Array line = axis ? a : ravel(a);
  const auto repeated = static_cast<std::size_t>(normalize_axis(axis.value_or(0), line.rank()));
  evaluate(line);
  if (counts.size() == 1) return repeat_evenly(line, counts[0], repeated);
  return repeat_each(line, counts, repeated);
}

}  // namespace cupola
