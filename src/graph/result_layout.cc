#include "graph/result_layout.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "graph/node.h"
#include "graph/readings.h"

namespace cupola {

namespace {

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

// Whether that is C order, without a search.
bool falls(const Dims& strides) {
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  return std::all_of(strides.begin(), strides.end(), [&last](std::int64_t stride) {
    if (stride == 0) return true;
    return std::abs(stride) <= std::exchange(last, std::abs(stride));
  });
}

// What decides how elements of `shape` lie: the strides of what they are computed from.
class OperandStrides {
 public:
  explicit OperandStrides(const Dims& shape, const Snapshot& snapshot = Snapshot::now())
      : shape_(shape), snapshot_(snapshot) {}

  void add(const Dims& shape, const Dims& strides) {
    if (shape.empty()) return;
    if (shape == shape_ && is_c_contiguous(shape, strides)) {
      any_c_ = true;
    } else {
      add(broadcast_strides(shape, strides, shape_));
    }
  }
  void add(Dims strides) { strides_.push_back(std::move(strides)); }
  // An array below, with what is computed element by element in step with it.
  void add_below(const Array& array) {
    if (snapshot_.is_laid_out(array)) return add(array.shape(), snapshot_.strides_of(array));
    const NodePointer node = snapshot_.node_of(array);
    if (!node) return add(array.shape(), snapshot_.strides_of(array));  // stored by another thread
    if (!seen_.insert(&array.state())) return;
    if (is_elementwise(node->kind)) return add_inputs(*node);
    if (node->kind == NodeKind::arg_reduce) return add(array.shape(), c_strides(array.shape()));
    add(array.shape(), kept_strides(*node, array.rank()));
  }
  void add_inputs(const Node& node) {
    const std::size_t first = node.kind == NodeKind::gather ? 1 : 0;
    for (std::size_t i = first; i < node.inputs.size(); ++i) add_below(node.inputs[i]);
  }

  // Dense ones.
  Dims result() {
    if (strides_.empty() || element_count(shape_) == 0) return c_strides(shape_);
    if (std::all_of(strides_.begin(), strides_.end(), falls)) return c_strides(shape_);
    if (any_c_) strides_.push_back(c_strides(shape_));
    return dense_strides(shape_, memory_order(strides_, shape_.size()));
  }

 private:
  // Those of the operand, dense, along the dimensions of a reduction's or scan's result. 0 where
  // NumPy compares the dimension with no other.
  Dims kept_strides(const Node& node, int rank) const {
    const Array& operand = node.inputs.front();
    Dims strides = natural_strides(operand, snapshot_);
    if (node.kind == NodeKind::segment_reduce) {
      strides[static_cast<std::size_t>(node.axes[0])] = 0;
    }
    if (node.kind != NodeKind::reduce) return strides;
    const bool keeps_dimensions = rank == operand.rank();
    Dims kept;
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      const bool is_reduced =
          std::binary_search(node.axes.begin(), node.axes.end(), static_cast<std::int64_t>(axis));
      if (!is_reduced || keeps_dimensions) kept.push_back(is_reduced ? 0 : strides[axis]);
    }
    return kept;
  }

  const Dims& shape_;
  const Snapshot& snapshot_;
  std::vector<Dims> strides_;  // but those of row-major arrays of the shape
  bool any_c_ = false;
  Visited seen_;
};

}  // namespace

Dims dense_strides(const Dims& shape, std::span<const std::size_t> outer_first) {
  Dims strides(shape.size(), 0);
  std::int64_t step = 1;
  for (std::size_t i = outer_first.size(); i-- > 0;) {
    strides[outer_first[i]] = step;
    step *= shape[outer_first[i]];
  }
  return strides;
}

Dims like_strides(const Dims& shape, std::span<const Array> operands) {
  OperandStrides strides(shape);
  for (const Array& operand : operands) strides.add(operand.shape(), strides_of(operand));
  return strides.result();
}

Dims like_strides(const Dims& shape, std::span<const Dims> operands) {
  OperandStrides strides(shape);
  for (const Dims& operand : operands) strides.add(operand);
  return strides.result();
}

Dims natural_strides(const Array& array, const Snapshot& snapshot) {
  OperandStrides strides(array.shape(), snapshot);
  strides.add_below(array);
  return strides.result();
}

Layout layout_for(const Array& pending, const Snapshot& snapshot) {
  if (snapshot.is_laid_out(pending)) return snapshot.layout_of(pending);
  check_size(pending.dtype(), pending.shape());
  return {natural_strides(pending, snapshot), 0};
}

}  // namespace cupola
