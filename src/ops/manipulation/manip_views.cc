// Views that pick elements or reinterpret them: diagonals, complex parts, other dtypes, pieces.

#include <fmt/format.h>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/views.h"

namespace cupola {

namespace {

// The real or imaginary parts of a complex array, which lie interleaved.
Array complex_part(const Array& a, std::int64_t part) {
  evaluate(a);
  Layout layout = a.state().layout;
  for (std::int64_t& stride : layout.strides) stride *= 2;
  layout.offset = layout.offset * 2 + part;
  return make_view(a, real_dtype(a.dtype()), a.shape(), std::move(layout));
}

// One element of the last axis becomes `ratio` smaller ones.
Array view_smaller(const Array& a, DType dtype, std::int64_t ratio) {
  Dims shape = a.shape();
  Layout layout = a.state().layout;
  shape.back() *= ratio;
  for (std::int64_t& stride : layout.strides) stride *= ratio;
  layout.strides.back() = 1;
  layout.offset *= ratio;
  return make_view(a, dtype, std::move(shape), std::move(layout));
}

Array view_larger(const Array& a, DType dtype, std::int64_t ratio) {
  if (a.shape().back() % ratio != 0) {
    throw ValueError(
        "When changing to a larger dtype, its size must be a divisor of the total size in bytes "
        "of the last axis of the array.");
  }
  Dims shape = a.shape();
  Layout layout = a.state().layout;
  bool aligned = layout.offset % ratio == 0 || a.size() == 0;
  for (std::size_t i = 0; i + 1 < shape.size() && a.size() > 0; ++i) {
    aligned = aligned && (shape[i] <= 1 || layout.strides[i] % ratio == 0);
    layout.strides[i] /= ratio;
  }
  if (!aligned) {
    throw ValueError(fmt::format("the elements of this view are not aligned to the {} bytes of {}",
                                 item_size(dtype), name_of(dtype)));
  }
  shape.back() /= ratio;
  layout.strides.back() = 1;
  layout.offset /= ratio;
  return make_view(a, dtype, std::move(shape), std::move(layout));
}

}  // namespace

Array real(const Array& a) { return is_complex(a.dtype()) ? complex_part(a, 0) : a; }

Array imag(const Array& a) {
  if (is_complex(a.dtype())) return complex_part(a, 1);
  if (!is_laid_out(a)) evaluate(a);
  const char order = is_f_contiguous(a) && !is_c_contiguous(a) ? 'F' : 'C';
  Array zero = zeros(a.shape(), a.dtype(), a.device(), order);
  zero.state().writable = false;
  return zero;
}

Array view_as(const Array& a, DType dtype) {
  evaluate(a);
  const auto from = a.item_size();
  const auto to = static_cast<std::int64_t>(item_size(dtype));
  if (from == to) return make_view(a, dtype, a.shape(), a.state().layout);
  if (a.rank() == 0) {
    throw ValueError(
        "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
  }
  if (a.shape().back() != 1 && a.size() != 0 && strides_of(a).back() != 1) {
    throw ValueError("To change to a dtype of a different size, the last axis must be contiguous");
  }
  return from > to ? view_smaller(a, dtype, from / to) : view_larger(a, dtype, to / from);
}

Array diagonal(const Array& a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  if (a.rank() < 2) {
    throw ValueError("diag requires an array of at least two dimensions, not shape " +
                     to_string(a.shape()));
  }
  const auto first = static_cast<std::size_t>(normalize_axis(axis1, a.rank()));
  const auto second = static_cast<std::size_t>(normalize_axis(axis2, a.rank()));
  if (first == second) throw ValueError("axis1 and axis2 cannot be the same");
  laid_out(a);
  const Dims& strides = strides_of(a);
  const std::int64_t down = std::max<std::int64_t>(-std::max(offset, -a.shape()[first]), 0);
  const std::int64_t right = std::max<std::int64_t>(std::min(offset, a.shape()[second]), 0);
  const std::int64_t length = std::min(a.shape()[first] - down, a.shape()[second] - right);
  Dims shape = a.shape();
  Layout layout = a.state().layout;
  if (length > 0) layout.offset += down * strides[first] + right * strides[second];
  const std::int64_t step = strides[first] + strides[second];
  for (const std::size_t axis : {std::max(first, second), std::min(first, second)}) {
    shape.erase(axis);
    layout.strides.erase(axis);
  }
  shape.push_back(std::max<std::int64_t>(length, 0));
  layout.strides.push_back(step);
  Array view = view_of(a, std::move(shape), std::move(layout));
  view.state().writable = false;
  return view;
}

std::vector<Array> split_at(const Array& a, std::span<const std::int64_t> points,
                            std::int64_t axis) {
  const auto split = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
  laid_out(a);
  const std::int64_t extent = a.shape()[split];
  // As slice bounds: negative points count from the end, and bounds are clamped.
  const auto position = [&](std::int64_t point) {
    return std::clamp<std::int64_t>(point < 0 ? point + extent : point, 0, extent);
  };
  std::vector<Array> parts;
  std::int64_t first = 0;
  for (std::size_t i = 0; i <= points.size(); ++i) {
    const std::int64_t last = i < points.size() ? position(points[i]) : extent;
    Dims shape = a.shape();
    shape[split] = std::max<std::int64_t>(last - first, 0);
    Layout layout = a.state().layout;
    if (shape[split] > 0) layout.offset += first * layout.strides[split];
    parts.push_back(view_of(a, std::move(shape), std::move(layout)));
    first = last;
  }
  return parts;
}

}  // namespace cupola
