#include "graph/views.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "base/threads/recycling.h"
#include "graph/index_map.h"
#include "graph/readings.h"

namespace cupola {

namespace {

// More of a graph is not looked at: with each view that is pushed, readings are counted anew.
constexpr std::size_t kMaxVisited = 192;

// A shape, and where its elements lie.
struct Placed {
  Dims shape;
  Layout layout;
};

Array make_view_node(const Array& base, Placed placed) {
  auto state = make_recycled<ArrayState>(base.dtype(), std::move(placed.shape), base.device());
  state->computation = make_recycled<const Node>(
      Operation{.kind = NodeKind::view, .place = std::move(placed.layout)}, std::vector{base});
  return Array(std::move(state));
}

// The indices of one view, applied to what its array is computed from.
class Indices {
 public:
  Indices(const Dims& array, const Dims& view, const Layout& place)
      : array_(array),
        view_(view),
        place_(place),
        map_(IndexMap::find(array, c_strides(array), view, place)) {}

  // Whether the view of any layout has strides.
  bool any() const { return map_.has_value(); }
  // The same view of what lies so and broadcasts to the array. Nothing where that has no strides.
  std::optional<Placed> view_of(const Dims& shape, const Layout& layout) const {
    if (map_) {
      const Dims strides = broadcast_strides(shape, layout.strides, array_);
      return Placed{map_->shape_of(shape), map_->apply({strides, layout.offset})};
    }
    if (shape != array_ || !is_c_contiguous(shape, layout.strides)) return std::nullopt;
    return Placed{view_, {place_.strides, layout.offset + place_.offset}};
  }

 private:
  const Dims& array_;
  const Dims& view_;
  const Layout& place_;
  const std::optional<IndexMap> map_;
};

// A reduction with other extents of 1.
bool is_same_reduction(const Node& reduction, const Dims& shape, const Layout& place) {
  const Dims kept = row_shape(reduction.inputs[0].shape(), reduction.axes);
  Dims dropped = kept;
  for (std::size_t i = reduction.axes.size(); i-- > 0;) {
    dropped.erase(static_cast<std::size_t>(reduction.axes[i]));
  }
  return (shape == kept || shape == dropped) && place.offset == 0 &&
         is_c_contiguous(shape, place.strides);
}

// A reduction that kernels for rows have in passing: another one costs no pass over memory.
bool is_part_of_rows(const Node& node, const Snapshot& snapshot) {
  return node.kind == NodeKind::reduce &&
         combines_rows(node, node.inputs[0].shape(), node.axes, snapshot);
}

class Pusher {
 public:
  Pusher(std::span<const Array> roots, Snapshot& snapshot, std::vector<Rewrite>& rewrites)
      : roots_(roots), snapshot_(snapshot), rewrites_(rewrites), readings_(roots, snapshot) {}

  void run() {
    for (const Array& root : roots_) open(root);
    for (std::size_t visited = 0; !open_.empty() && visited < kMaxVisited; ++visited) {
      const NodePointer node = std::move(open_.back());
      open_.pop_back();
      for (const Array& input : node->inputs) {
        if (snapshot_.is_stored(input)) continue;
        push(input, *node);
        open(input);
      }
    }
  }

 private:
  // What was made for the views of one array.
  struct Known {
    WeakArray base;
    Placed placed;
    Array view;
    long readings = 0;
  };

  void open(const Array& array) {
    NodePointer node = snapshot_.node_of(array);
    if (!node || !node->traits.is_view || node->kind == NodeKind::view) return;
    if (seen_.insert(&array.state())) open_.push_back(std::move(node));
  }

  void push(const Array& view, const Node& reader) {
    NodePointer node = snapshot_.node_of(view);
    if (!node || node->kind != NodeKind::view) return;
    const bool shares = CUPOLA_MUTANT(push_shared_views);
    if (!is_of(view, reader) && is_live(view) && !shares) return;
    std::shared_ptr<const Node> next;
    {
      const Array& base = node->inputs[0];
      const bool is_alone = snapshot_.owners_of(base) == 1 || shares;
      const NodePointer below = snapshot_.node_of(base);
      if (below && (is_alone || is_part_of_rows(*below, snapshot_)))
        next = pushed(view, *node, *below);
    }
    if (!next) return;
    snapshot_.replace(view, next);
    rewrites_.push_back({view.handle(), std::move(node), std::move(next)});
    readings_ = Readings(roots_, snapshot_);
  }

  // Whether nothing else has it: cheaper to know than how often it is read below the roots.
  bool is_of(const Array& view, const Node& reader) const {
    return snapshot_.owners_of(view) ==
           std::count_if(reader.inputs.begin(), reader.inputs.end(),
                         [&](const Array& input) { return is_same(input, view); });
  }

  bool is_live(const Array& view) {
    const auto known = std::find_if(known_.begin(), known_.end(),
                                    [&](const Known& each) { return is_same(each.view, view); });
    if (known == known_.end()) return readings_.is_live(view);
    return snapshot_.owners_of(view) - 1 > known->readings;
  }

  // The operation of the array in the view's indices; null where it cannot be.
  std::shared_ptr<const Node> pushed(const Array& view, const Node& node, const Node& below) {
    const Array& base = node.inputs[0];
    if (below.kind == NodeKind::reduce && is_same_reduction(below, view.shape(), node.place)) {
      return make_recycled<const Node>(Operation(below), std::vector(below.inputs), below.made_at);
    }
    if (!is_elementwise(below.kind) || below.kind == NodeKind::index) return nullptr;
    // Its positions would be stored in its place.
    if (below.kind == NodeKind::ufunc && is_random(below.ufunc)) return nullptr;
    const Indices indices(base.shape(), view.shape(), node.place);
    std::vector<Array> inputs;
    for (std::size_t i = 0; i < below.inputs.size(); ++i) {
      const bool is_source = below.kind == NodeKind::gather && i == 0;
      Array input = is_source ? below.inputs[i] : input_of(indices, below.inputs[i]);
      if (!input.has_value()) return nullptr;
      inputs.push_back(std::move(input));
    }
    return make_recycled<const Node>(Operation(below), std::move(inputs), below.made_at);
  }

  // No array where there is no such view.
  Array input_of(const Indices& indices, const Array& input) {
    if (input.rank() == 0) return input;
    if (is_stored(input)) {
      auto placed = indices.view_of(input.shape(), input.state().layout);
      return placed ? make_view(input, std::move(placed->shape), std::move(placed->layout))
                    : Array();
    }
    const NodePointer node = snapshot_.node_of(input);
    if (node && node->kind == NodeKind::scalar) {
      return make_scalar(node->value, {}, input.device());
    }
    const bool is_view = node && node->kind == NodeKind::view;
    const Array& source = is_view ? node->inputs[0] : input;
    // Where it is stored in another order there would be no view of it.
    if (!indices.any() && !(snapshot_.is_laid_out(source) && snapshot_.is_c_contiguous(source)))
      return {};
    const Layout place = is_view ? node->place : Layout{c_strides(input.shape()), 0};
    auto placed = indices.view_of(input.shape(), place);
    return placed ? view_node(source, std::move(*placed)) : Array();
  }

  // One for each view of an array, so that what is below it is computed once.
  Array view_node(const Array& base, Placed placed) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& each) {
      return !each.base.owner_before(base.handle()) && !base.handle().owner_before(each.base) &&
             each.placed.shape == placed.shape &&
             each.placed.layout.offset == placed.layout.offset &&
             each.placed.layout.strides == placed.layout.strides;
    });
    Known& found =
        known == known_.end()
            ? known_.emplace_back(Known{base.handle(), placed, make_view_node(base, placed)})
            : *known;
    ++found.readings;
    return found.view;
  }

  const std::span<const Array> roots_;
  Snapshot& snapshot_;
  std::vector<Rewrite>& rewrites_;
  Readings readings_;
  Visited seen_;
  std::vector<NodePointer> open_;
  std::vector<Known> known_;
};

}  // namespace

Array make_pending_view(const Array& base, Dims shape, const Layout& layout) {
  const NodePointer node = node_of(base);
  if (!node) return {};
  if (node->kind == NodeKind::view)
    return make_pending_view(node->inputs[0], std::move(shape), layout);
  Layout place{layout.strides, layout.offset - base.state().layout.offset};
  if (!is_c_contiguous(base)) {
    const auto map = IndexMap::find(base.shape(), strides_of(base), shape, place);
    if (!map) return {};
    place = map->apply({c_strides(base.shape()), 0});
  } else if (overlaps_itself(shape, layout.strides)) {
    return {};
  }
  Array view = make_view_node(base, {std::move(shape), std::move(place)});
  ArrayState& state = view.state();
  state.layout = layout;
  state.is_laid_out = true;
  state.stream = base.state().stream;
  state.writable = base.writable();
  return view;
}

void publish_view(const Array& view, const Node& node) {
  const Array& base = node.inputs[0];
  publish_view(view, node, base, layout_of_view(view, node, base.state().layout));
}

Layout layout_of_view(const Array& view, const Node& node, const Layout& base) {
  if (is_laid_out(view)) return view.state().layout;
  const Dims& shape = node.inputs[0].shape();
  if (is_c_contiguous(shape, base.strides)) {
    return {node.place.strides, base.offset + node.place.offset};
  }
  return IndexMap::find(shape, c_strides(shape), view.shape(), node.place)->apply(base);
}

void push_views_down(std::span<const Array> roots, Snapshot& snapshot,
                     std::vector<Rewrite>& rewrites) {
  const bool any = std::any_of(roots.begin(), roots.end(), [](const Array& root) {
    const auto computation = pending_computation(root);
    return computation && computation->traits.is_view;
  });
  if (any) Pusher(roots, snapshot, rewrites).run();
}

}  // namespace cupola
