// Views: other shapes and axis orders over the same elements.

#include "cupola/ops/manip.h"

#include <fmt/format.h>

#include "core/array_state.h"
#include "cupola/error.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/views.h"
#include "graph/result_layout.h"
#include "ops/operands.h"

namespace cupola {

namespace {

// The target shape with -1 replaced.
Dims complete_shape(const Array& a, const Dims& shape) {
  const auto refuse = [&] {
    throw ValueError(
        fmt::format("cannot reshape array of size {} into shape {}", a.size(), to_string(shape)));
  };
  Dims result = shape;
  std::int64_t* unknown = nullptr;
  std::int64_t known = 1;
  for (std::int64_t& extent : result) {
    if (extent < 0) {
      if (unknown != nullptr) throw ValueError("can only specify one unknown dimension");
      unknown = &extent;
    } else if (__builtin_mul_overflow(known, extent, &known)) {
      refuse();
    }
  }
  if (unknown != nullptr) {
    if (known == 0 || a.size() % known != 0) refuse();
    *unknown = a.size() / known;
  } else if (known != a.size()) {
    refuse();
  }
  return result;
}

// Of an array that is laid out; no array where it needs a copy.
Array view_reshaped(const Array& a, const Dims& shape, bool columns = false) {
  Layout layout{strides_of(a), a.state().layout.offset};
  if (shape == a.shape()) return view_of(a, shape, std::move(layout));
  if (columns ? is_f_contiguous(a) : is_c_contiguous(a)) {
    layout.strides = columns ? f_strides(shape) : c_strides(shape);
  } else if (!reshape_strides(a.shape(), strides_of(a), shape, layout.strides, columns)) {
    return {};
  }
  return view_of(a, shape, std::move(layout));
}

// Axes from the outermost to the innermost, as numpy's order 'K' reads them.
Dims memory_axes(const Array& a) {
  Dims axes;
  for (int i = 0; i < a.rank(); ++i) axes.push_back(i);
  const Dims strides = like_strides(a.shape(), {&a, 1});
  std::stable_sort(axes.begin(), axes.end(), [&](auto x, auto y) {
    return strides[static_cast<std::size_t>(x)] > strides[static_cast<std::size_t>(y)];
  });
  return axes;
}

}  // namespace

Array reshape(const Array& a, const Dims& shape, char order, std::optional<bool> copy_wanted) {
  const Dims target = complete_shape(a, shape);
  laid_out(a);
  if (parse_order(order) == 'K') throw ValueError("order 'K' is not permitted for reshaping");
  const bool columns = order == 'F' || (order == 'A' && is_f_contiguous(a) && !is_c_contiguous(a));
  if (copy_wanted != true) {
    if (Array view = view_reshaped(a, target, columns); view.has_value()) return view;
    if (copy_wanted == false) {
      throw ValueError("Unable to avoid creating a copy while reshaping shape " +
                       to_string(a.shape()) + " into " + to_string(target));
    }
  }
  return view_reshaped(copy(a, columns ? 'F' : 'C'), target, columns);
}

Array ravel(const Array& a, char order) {
  laid_out(a);
  const Dims line{a.size()};
  if (parse_order(order) == 'K') {
    const Array arranged = transpose(a, memory_axes(a));
    return is_c_contiguous(arranged) ? view_reshaped(arranged, line) : ravel(copy(arranged, 'C'));
  }
  const bool columns = order == 'F' || (order == 'A' && is_f_contiguous(a) && !is_c_contiguous(a));
  const Array rows = columns ? transpose(a) : a;
  return view_reshaped(is_c_contiguous(rows) ? rows : copy(rows, 'C'), line);
}

Array transpose(const Array& a, const std::optional<Dims>& axes) {
  Dims order;
  if (axes) {
    if (axes->size() != a.shape().size()) {
      throw ValueError(fmt::format("axes don't match array: {} for shape {}", to_string(*axes),
                                   to_string(a.shape())));
    }
    order = normalize_axes(*axes, a.rank());
  } else {
    for (int i = a.rank(); i-- > 0;) order.push_back(i);
  }
  laid_out(a);
  Dims shape;
  Layout layout{{}, a.state().layout.offset};
  for (const std::int64_t axis : order) {
    shape.push_back(a.shape()[static_cast<std::size_t>(axis)]);
    layout.strides.push_back(strides_of(a)[static_cast<std::size_t>(axis)]);
  }
  return view_of(a, std::move(shape), std::move(layout));
}

Array moveaxis(const Array& a, const Dims& source, const Dims& destination) {
  const Dims from = normalize_axes(source, a.rank());
  const Dims to = normalize_axes(destination, a.rank());
  if (from.size() != to.size()) {
    throw ValueError("`source` and `destination` arguments must have the same number of elements");
  }
  Dims order(a.shape().size(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  std::int64_t next = 0;
  for (std::int64_t& axis : order) {
    if (axis >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  return transpose(a, order);
}

Array swapaxes(const Array& a, std::int64_t axis1, std::int64_t axis2) {
  Dims order;
  for (int i = 0; i < a.rank(); ++i) order.push_back(i);
  std::swap(order[static_cast<std::size_t>(normalize_axis(axis1, a.rank()))],
            order[static_cast<std::size_t>(normalize_axis(axis2, a.rank()))]);
  return transpose(a, order);
}

Array squeeze(const Array& a, const std::optional<Dims>& axes) {
  Dims removed;
  if (axes) {
    removed = normalize_axes(*axes, a.rank());
  } else {
    for (int i = 0; i < a.rank(); ++i) {
      if (a.shape()[static_cast<std::size_t>(i)] == 1) removed.push_back(i);
    }
  }
  laid_out(a);
  std::sort(removed.begin(), removed.end());
  Dims shape = a.shape();
  Layout layout = a.state().layout;
  for (std::size_t i = removed.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(removed[i]);
    if (shape[axis] != 1) {
      throw ValueError(
          fmt::format("cannot select an axis to squeeze out which has size not equal "
                      "to one: axis {} of shape {}",
                      axis, to_string(a.shape())));
    }
    shape.erase(axis);
    layout.strides.erase(axis);
  }
  return view_of(a, std::move(shape), std::move(layout));
}

Array expand_dims(const Array& a, const Dims& axes) {
  const int rank = a.rank() + static_cast<int>(axes.size());
  Dims added = normalize_axes(axes, rank);
  std::sort(added.begin(), added.end());
  laid_out(a);
  Dims shape = a.shape();
  Layout layout = a.state().layout;
  for (const std::int64_t axis : added) {
    shape.insert(static_cast<std::size_t>(axis), 1);
    layout.strides.insert(static_cast<std::size_t>(axis), 1);
  }
  return view_of(a, std::move(shape), std::move(layout));
}

Array broadcast_to(const Array& a, const Dims& shape) {
  element_count(shape);
  const Dims shapes[] = {a.shape(), shape};
  if (a.rank() > shape.rank() || broadcast_shapes(shapes) != shape) {
    throw ValueError(
        fmt::format("operands could not be broadcast together: shape {} and "
                    "requested shape {}",
                    to_string(a.shape()), to_string(shape)));
  }
  laid_out(a);
  Array view = view_of(
      a, shape, {broadcast_strides(a.shape(), strides_of(a), shape), a.state().layout.offset});
  view.state().writable = false;
  return view;
}

std::vector<Array> broadcast_arrays(std::span<const Array> arrays) {
  std::vector<Dims> shapes;
  for (const Array& array : arrays) shapes.push_back(array.shape());
  const Dims shape = broadcast_shapes(shapes);
  std::vector<Array> result;
  for (const Array& array : arrays) {
    result.push_back(array.shape() == shape ? array : broadcast_to(array, shape));
  }
  return result;
}

Array flip(const Array& a, const std::optional<Dims>& axes) {
  Dims flipped;
  if (axes) {
    flipped = normalize_axes(*axes, a.rank());
  } else {
    for (int i = 0; i < a.rank(); ++i) flipped.push_back(i);
  }
  laid_out(a);
  Layout layout = a.state().layout;
  for (const std::int64_t axis : flipped) {
    const std::int64_t extent = a.shape()[static_cast<std::size_t>(axis)];
    std::int64_t& stride = layout.strides[static_cast<std::size_t>(axis)];
    if (extent > 0) layout.offset += (extent - 1) * stride;
    stride = -stride;
  }
  return view_of(a, a.shape(), std::move(layout));
}

}  // namespace cupola
