#include <algorithm>
#include <cstdlib>
#include <limits>

#include "graph/fusion.h"
#include "graph/readings.h"

namespace cupola {

namespace {

// Fewer rows are never combined by columns.
bool are_many(const Dims& rows) { return element_count(rows) >= kFewestColumns; }

bool is_reduced(const Dims& axes, std::size_t dimension) {
  return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(dimension)) != axes.end();
}

// Magnitude of the smallest stride that moves along the reduced or the kept dimensions; a huge
// number when none does.
std::int64_t smallest_stride(const Dims& strides, const Dims& space, const Dims& axes,
                             bool reduced) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; d < space.size(); ++d) {
    const std::int64_t stride = std::abs(strides[d]);
    if (is_reduced(axes, d) == reduced && space[d] > 1 && stride > 0) {
      smallest = std::min(smallest, stride);
    }
  }
  return smallest;
}

// Whether the reduced dimensions are visited in their own order, as far as the array decides.
bool keeps_order(const Array& array, const Dims& space, const Dims& axes,
                 const Snapshot& snapshot) {
  const Dims strides = broadcast_strides(array.shape(), snapshot.strides_of(array), space);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = i + 1; j < axes.size(); ++j) {
      const std::int64_t outer = std::abs(strides[static_cast<std::size_t>(axes[i])]);
      const std::int64_t inner = std::abs(strides[static_cast<std::size_t>(axes[j])]);
      if (outer > 0 && outer < inner) return false;
    }
  }
  return true;
}

bool reduces_rows(const Node& node) {
  return node.kind == NodeKind::reduce && is_reorderable(node) && !may_loop(node) &&
         !node.axes.empty() && node.inputs[0].size() > 0;
}

std::int64_t row_length(const Dims& space, const Dims& axes) {
  std::int64_t length = 1;
  for (const std::int64_t axis : axes) length *= space[static_cast<std::size_t>(axis)];
  return length;
}

bool combines_outer(const Node& node, const Snapshot& snapshot) {
  const Dims& space = node.inputs[0].shape();
  return are_many(row_shape(space, node.axes)) &&
         is_outer_reduction(find_layouts(node.inputs[0], snapshot), space, node.axes, snapshot);
}

// Whether the kernel for a reduction by itself would visit a row's elements in their own order.
bool keeps_order(const Node& node, const Snapshot& snapshot) {
  if (node.axes.rank() == 1) return true;
  const auto in_order = [&](const Array& array) {
    return keeps_order(array, node.inputs[0].shape(), node.axes, snapshot);
  };
  const std::vector<Array> layouts = find_layouts(node.inputs[0], snapshot);
  const std::vector<Array> read = find_leaves(node.inputs[0], snapshot).walked;
  return std::all_of(layouts.begin(), layouts.end(), in_order) &&
         std::all_of(read.begin(), read.end(), in_order);
}

// A reduction of rows somewhere among elementwise arrays of one space.
class RowSearch {
 public:
  // Of rows along these axes only, if there are any.
  explicit RowSearch(const Snapshot& snapshot, const Dims& space, Dims axes = {})
      : snapshot_(snapshot), space_(space), axes_(std::move(axes)) {}

  // Null where there is none.
  NodePointer find_below(const Node& node) {
    for (const Array& input : node.inputs) {
      if (NodePointer found = find(input)) return found;
    }
    return nullptr;
  }

 private:
  NodePointer find(const Array& array) {
    NodePointer node = snapshot_.node_of(array);
    if (!node || node->kind == NodeKind::scalar) return nullptr;
    if (is_elementwise(node->kind)) {
      if (!seen_.insert(&array.state()) || ++nodes_ > kMaxNodesOfRows) return nullptr;
      return find_below(*node);
    }
    if (!axes_.empty() && node->axes != axes_) return nullptr;
    if (!combines_rows(*node, space_, node->axes, snapshot_)) return nullptr;
    return is_one_per_row(array.shape(), row_shape(space_, node->axes)) ? node : nullptr;
  }

  const Snapshot& snapshot_;
  const Dims& space_;
  const Dims axes_;
  int nodes_ = 0;
  Visited seen_;
};

// The reductions that a root is elementwise of, besides numbers.
class TopSearch {
 public:
  TopSearch(std::span<const Array> roots, std::vector<Array>& tops, const Snapshot& snapshot)
      : roots_(roots), snapshot_(snapshot), readings_(roots, snapshot), tops_(tops) {}

  // False: something else is below a root, or somebody has what is. Owners are counted last, which
  // takes a walk through everything that is pending.
  bool visit_roots() {
    const bool found = std::all_of(roots_.begin(), roots_.end(), [this](const Array& root) {
      shape_ = &root.shape();
      seen_ = Visited();
      return visit(root, snapshot_.node_of(root));
    });
    return found && !tops_.empty() &&
           std::none_of(shared_.begin(), shared_.end(), [&](const Reading& each) {
             // The list of tops is one more owner.
             return readings_.is_live(each.array(), is_top(each.array()) ? 1 : 0);
           });
  }

 private:
  bool visit(const Array& array, const NodePointer& node) {
    if (!seen_.insert(&array.state())) return true;
    if (!node || ++nodes_ > kMaxNodesOfRows) return false;
    if (is_top(array)) return array.shape() == *shape_;
    if (is_elementwise(node->kind)) {
      return node->kind != NodeKind::index && node->kind != NodeKind::gather && visit_inputs(node);
    }
    if (!reduces_rows(*node) || array.shape() != *shape_) return false;
    tops_.push_back(array);
    return true;
  }

  bool visit_inputs(const NodePointer& node) {
    for (std::size_t i = 0; i < node->inputs.size(); ++i) {
      const Array& input = node->inputs[i];
      const NodePointer below = snapshot_.node_of(input);
      if (below && below->kind == NodeKind::scalar) continue;
      if (!is_among(input, roots_) && snapshot_.owners_of(input) > 1) shared_.push_back({node, i});
      if (!visit(input, below)) return false;
    }
    return true;
  }
  static bool is_among(const Array& array, std::span<const Array> list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Array& each) { return is_same(each, array); });
  }
  bool is_top(const Array& array) const { return is_among(array, tops_); }

  const std::span<const Array> roots_;
  const Snapshot& snapshot_;
  Readings readings_;
  std::vector<Array>& tops_;
  std::vector<Reading> shared_;  // of what has several owners
  const Dims* shape_ = nullptr;
  int nodes_ = 0;
  Visited seen_;
};

bool are_elementwise(std::span<const Array> roots, const Snapshot& snapshot) {
  return std::all_of(roots.begin(), roots.end(), [&](const Array& root) {
    const NodePointer node = snapshot.node_of(root);
    return node && is_elementwise(node->kind) && !may_loop(*node) &&
           root.shape() == roots.front().shape();
  });
}

// Elementwise roots over the rows that are reduced below them.
bool find_elements(std::span<const Array> roots, RowGroup& group, const Snapshot& snapshot) {
  if (!are_elementwise(roots, snapshot)) return false;
  RowSearch search(snapshot, roots.front().shape());
  for (const Array& root : roots) {
    const NodePointer node = snapshot.node_of(root);
    const NodePointer found = node ? search.find_below(*node) : nullptr;
    if (!found) continue;
    group.rows = {.space = roots.front().shape(), .axes = found->axes};
    group.has_stages = true;
    return true;
  }
  return false;
}

bool are_over(const std::vector<Array>& tops, const RowSpace& rows, const Snapshot& snapshot) {
  return std::all_of(tops.begin(), tops.end(), [&](const Array& top) {
    const NodePointer node = snapshot.node_of(top);
    return node && node->inputs[0].shape() == rows.space && node->axes == rows.axes &&
           combines_outer(*node, snapshot) == rows.is_outer && keeps_order(*node, snapshot);
  });
}

bool have_rows_below(const std::vector<Array>& tops, const RowSpace& rows,
                     const Snapshot& snapshot) {
  return std::any_of(tops.begin(), tops.end(), [&](const Array& top) {
    const NodePointer node = snapshot.node_of(top);
    return node && RowSearch(snapshot, rows.space, rows.axes).find_below(*node);
  });
}

// Roots with one element for each row. One root of one reduction of stored or elementwise arrays
// has a kernel of its own.
bool find_results(std::span<const Array> roots, RowGroup& group, const Snapshot& snapshot) {
  if (!TopSearch(roots, group.tops, snapshot).visit_roots()) return false;
  const NodePointer first = snapshot.node_of(group.tops.front());
  if (!first) return false;
  group.rows = {.space = first->inputs[0].shape(),
                .axes = first->axes,
                .is_outer = combines_outer(*first, snapshot)};
  if (!are_over(group.tops, group.rows, snapshot)) return false;
  group.has_stages =
      !group.rows.is_outer && row_length(group.rows.space, group.rows.axes) <= kMaxOfRow;
  return group.tops.size() > 1 || roots.size() > 1 ||
         (group.has_stages && have_rows_below(group.tops, group.rows, snapshot));
}

// Whether a reduction may be below a root at all: cheap.
bool may_have_rows(const Node& node, int& left, const Snapshot& snapshot) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Array& input) {
    const NodePointer below = --left > 0 ? snapshot.node_of(input) : nullptr;
    if (!below || below->kind == NodeKind::scalar) return false;
    return below->kind == NodeKind::reduce ||
           (is_elementwise(below->kind) && may_have_rows(*below, left, snapshot));
  });
}

bool may_be_rows(std::span<const Array> roots, const Snapshot& snapshot) {
  int left = 2 * kMaxNodesOfRows;
  return std::any_of(roots.begin(), roots.end(), [&](const Array& root) {
    const NodePointer node = snapshot.node_of(root);
    const bool is_one_of_several = roots.size() > 1 && node && node->kind == NodeKind::reduce;
    return is_one_of_several || (node && may_have_rows(*node, left, snapshot));
  });
}

// What may be one kernel.
struct Mates {
  std::vector<Array> arrays;
  NodePointer top{};  // a reduction of rows that the first is made of; null: it is none
  bool is_mapped = false;
};

bool are_over_same_rows(const Mates& a, const Mates& b) {
  return a.top && b.top && a.top->axes == b.top->axes &&
         a.top->inputs[0].shape() == b.top->inputs[0].shape();
}

bool are_over_same_elements(const Mates& a, const Mates& b) {
  const Array& one = a.arrays.front();
  const Array& other = b.arrays.front();
  return a.is_mapped && b.is_mapped && one.shape() == other.shape() &&
         one.state().stream == other.state().stream;
}

}  // namespace

Dims row_shape(const Dims& space, const Dims& axes) {
  Dims shape = space;
  for (const std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}

bool is_one_per_row(const Dims& shape, const Dims& row_shape) {
  if (shape.size() > row_shape.size()) return false;
  const std::size_t lead = row_shape.size() - shape.size();
  return std::all_of(row_shape.begin(), row_shape.begin() + static_cast<std::ptrdiff_t>(lead),
                     [](std::int64_t extent) { return extent == 1; }) &&
         std::equal(shape.begin(), shape.end(),
                    row_shape.begin() + static_cast<std::ptrdiff_t>(lead));
}

bool is_outer_reduction(std::span<const Array> layouts, const Dims& space, const Dims& axes,
                        const Snapshot& snapshot) {
  std::int64_t votes = 0;
  for (const Array& layout : layouts) {
    const Dims strides = broadcast_strides(layout.shape(), snapshot.strides_of(layout), space);
    const std::int64_t along = smallest_stride(strides, space, axes, true);
    if (along == std::numeric_limits<std::int64_t>::max()) continue;
    const std::int64_t across = smallest_stride(strides, space, axes, false);
    if (across != along) votes += across < along ? layout.item_size() : -layout.item_size();
  }
  return votes > 0;
}

bool combines_rows(const Node& node, const Dims& space, const Dims& axes,
                   const Snapshot& snapshot) {
  return reduces_rows(node) && node.axes == axes && node.inputs[0].shape() == space &&
         row_length(space, axes) <= kMaxOfRow && !combines_outer(node, snapshot) &&
         keeps_order(node, snapshot);
}

std::optional<RowGroup> find_row_group(std::span<const Array> roots, int free_operations,
                                       const Snapshot& snapshot) {
  if (!may_be_rows(roots, snapshot)) return std::nullopt;
  RowGroup group;
  if (!find_elements(roots, group, snapshot)) {
    if (!find_results(roots, group, snapshot)) return std::nullopt;
  }
  group.region = find_row_region(roots, group, free_operations, snapshot);
  return group;
}

std::vector<std::vector<Array>> find_mates(std::span<const Array> arrays,
                                           const Snapshot& snapshot) {
  constexpr std::size_t kMaxMates = 8;
  std::vector<Mates> lists;
  for (const Array& array : arrays) {
    const NodePointer node = snapshot.node_of(array);
    const bool may_have_top = node && !(is_mapped(node->kind) && is_alone(*node, snapshot));
    std::vector<Array> tops;
    const bool found = may_have_top && TopSearch({&array, 1}, tops, snapshot).visit_roots();
    Mates own{.arrays = {array}, .top = found ? snapshot.node_of(tops.front()) : nullptr};
    own.is_mapped = !found && node && is_mapped(node->kind);
    const auto mates = std::find_if(lists.begin(), lists.end(), [&](const Mates& list) {
      return own.top ? are_over_same_rows(list, own)
                     : list.arrays.size() < kMaxMates && are_over_same_elements(list, own);
    });
    if (mates == lists.end()) {
      lists.push_back(std::move(own));
    } else {
      mates->arrays.push_back(array);
    }
  }
  std::vector<std::vector<Array>> result;
  for (Mates& list : lists) result.push_back(std::move(list.arrays));
  return result;
}

}  // namespace cupola
