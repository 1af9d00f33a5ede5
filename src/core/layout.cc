#include "core/layout.h"

#include <fmt/format.h>

#include <limits>

#include "cupola/error.h"

namespace cupola {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Views over foreign memory may carry any stride: arithmetic on them wraps instead of trapping.
std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? -kLargest : kLargest;
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? -kLargest : kLargest;
}

bool has_no_elements(const Dims& shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

[[noreturn]] void throw_not_broadcastable(std::span<const Dims> shapes) {
  std::string list;
  for (const Dims& shape : shapes) list.append(1, ' ').append(to_string(shape));
  throw ValueError("operands could not be broadcast together with shapes" + list);
}

// A maximal run of dimensions of both shapes with equal element counts.
struct Run {
  std::size_t old_first, old_last;  // [first, last)
  std::size_t new_first, new_last;
};

bool is_one_stride(const Dims& shape, const Dims& strides, const Run& run, bool columns) {
  for (std::size_t i = run.old_first; i + 1 < run.old_last; ++i) {
    const std::size_t inner = columns ? i : i + 1, outer = columns ? i + 1 : i;
    if (strides[outer] != wrapping_product(shape[inner], strides[inner])) return false;
  }
  return true;
}

// Those of a run in `target`, whose innermost dimension has `stride`.
void fill_strides(const Dims& target, const Run& run, std::int64_t stride, bool columns,
                  Dims& result) {
  const std::size_t count = run.new_last - run.new_first;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = columns ? run.new_first + i : run.new_last - 1 - i;
    result[axis] = stride;
    stride = wrapping_product(stride, target[axis]);
  }
}

void drop_ones(const Dims& shape, const Dims& strides, Dims& kept_shape, Dims& kept_strides) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    kept_shape.push_back(shape[i]);
    kept_strides.push_back(strides[i]);
  }
}

}  // namespace

std::int64_t element_count(const Dims& shape) {
  if (shape.size() == 1 && shape[0] >= 0) return shape[0];
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw ValueError("negative dimensions are not allowed: " + to_string(shape));
    }
    if (extent == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(count, extent, &count)) {
      throw ValueError("array is too big: shape " + to_string(shape) +
                       " has more elements than a 64-bit integer counts");
    }
  }
  return empty ? 0 : count;
}

std::size_t byte_count(DType dtype, const Dims& shape) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(element_count(shape), item_size(dtype), &bytes)) {
    throw ValueError("array is too big: " + to_string(shape) + " of " +
                     std::string(name_of(dtype)));
  }
  return static_cast<std::size_t>(bytes);
}

Dims c_strides(const Dims& shape) {
  Dims strides(shape.size(), 1);
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride = wrapping_product(stride, std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

Dims f_strides(const Dims& shape) {
  Dims strides(shape.size(), 1);
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride = wrapping_product(stride, std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

namespace {

// Whether the axes, from the innermost, leave no gaps.
class ContiguousSoFar {
 public:
  // False: not contiguous, unless some extent is 0.
  bool add(std::int64_t extent, std::int64_t stride) {
    if (extent != 1 && stride != expected_) return false;
    expected_ = wrapping_product(expected_, extent);
    return true;
  }

 private:
  std::int64_t expected_ = 1;
};

}  // namespace

Dims byte_strides(Dims strides, DType dtype) {
  for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(item_size(dtype));
  return strides;
}

bool is_c_contiguous(const Dims& shape, const Dims& strides) {
  ContiguousSoFar axes;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (!axes.add(shape[i], strides[i])) return has_no_elements(shape);
  }
  return true;
}

bool is_f_contiguous(const Dims& shape, const Dims& strides) {
  ContiguousSoFar axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!axes.add(shape[i], strides[i])) return has_no_elements(shape);
  }
  return true;
}

Dims broadcast_shapes(std::span<const Dims> shapes) {
  std::size_t rank = 0;
  for (const Dims& shape : shapes) rank = std::max(rank, shape.size());
  Dims result(rank, 1);
  for (const Dims& shape : shapes) {
    const std::size_t lead = rank - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& extent = result[lead + i];
      if (shape[i] == extent || shape[i] == 1) continue;
      if (extent != 1) throw_not_broadcastable(shapes);
      extent = shape[i];
    }
  }
  return result;
}

Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& target) {
  Dims result(target.size(), 0);
  const std::size_t lead = target.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == target[lead + i] && shape[i] != 1) result[lead + i] = strides[i];
  }
  return result;
}

Extent touched_extent(const Dims& shape, const Layout& layout) {
  Extent extent{layout.offset, layout.offset};
  if (has_no_elements(shape)) return {layout.offset, layout.offset - 1};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t reach = saturating_product(shape[i] - 1, layout.strides[i]);
    std::int64_t& end = reach < 0 ? extent.first : extent.last;
    end = saturating_sum(end, reach);
  }
  return extent;
}

bool overlaps_itself(const Dims& shape, const Dims& strides) {
  if (has_no_elements(shape)) return false;
  Dims extents;
  Dims steps;
  drop_ones(shape, strides, extents, steps);
  for (std::int64_t& step : steps) step = step < 0 ? -std::max(step, -kLargest) : step;
  std::int64_t reach = 0;  // of the dimensions with smaller strides
  for (std::size_t done = 0; done < steps.size(); ++done) {
    std::size_t smallest = done;
    for (std::size_t i = done + 1; i < steps.size(); ++i) {
      if (steps[i] < steps[smallest]) smallest = i;
    }
    std::swap(steps[done], steps[smallest]);
    std::swap(extents[done], extents[smallest]);
    if (steps[done] <= reach) return true;
    reach = saturating_sum(reach, saturating_product(extents[done] - 1, steps[done]));
  }
  return false;
}

int normalize_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw AxisError(fmt::format("axis {} is out of bounds for array of dimension {}", axis, rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

bool is_packed(const Dims& shape, const Dims& byte_strides, DType dtype, char order) {
  if (has_no_elements(shape)) return true;
  auto wanted = static_cast<std::int64_t>(item_size(dtype));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = order == 'F' ? i : shape.size() - 1 - i;
    if (shape[axis] > 1 && byte_strides[axis] != wanted) return false;
    wanted *= shape[axis];
  }
  return true;
}

Dims normalize_axes(const Dims& axes, int rank) {
  Dims result;
  for (const std::int64_t axis : axes) {
    const int normal = normalize_axis(axis, rank);
    if (std::find(result.begin(), result.end(), normal) != result.end()) {
      throw ValueError("repeated axis in " + to_string(axes));
    }
    result.push_back(normal);
  }
  return result;
}

bool reshape_strides(const Dims& shape, const Dims& strides, const Dims& target, Dims& result,
                     bool columns) {
  result = columns ? f_strides(target) : c_strides(target);
  if (has_no_elements(shape)) return true;
  Dims extents;
  Dims steps;
  drop_ones(shape, strides, extents, steps);
  Run run{0, 0, 0, 0};
  while (run.old_last < extents.size()) {
    std::int64_t old_count = extents[run.old_last++];
    std::int64_t new_count = target[run.new_last++];
    while (old_count != new_count) {
      if (new_count < old_count) {
        new_count *= target[run.new_last++];
      } else {
        old_count *= extents[run.old_last++];
      }
    }
    if (!is_one_stride(extents, steps, run, columns)) return false;
    fill_strides(target, run, steps[columns ? run.old_first : run.old_last - 1], columns, result);
    run.old_first = run.old_last;
    run.new_first = run.new_last;
  }
  // What is left has length 1, and any stride will do: NumPy's goes on from the last run.
  std::int64_t beyond = 1;
  if (run.new_last > 0) {
    const std::size_t last = run.new_last - 1;
    beyond = columns ? wrapping_product(result[last], target[last]) : result[last];
  }
  std::fill(result.begin() + static_cast<std::ptrdiff_t>(run.new_last), result.end(), beyond);
  return true;
}

}  // namespace cupola
