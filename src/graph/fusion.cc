#include "graph/fusion.h"

#include <algorithm>
#include <utility>

#include "graph/readings.h"
#include "graph/repeats.h"

namespace cupola {

namespace {

// Of the first input, at places of its own.
bool reads_elsewhere(NodeKind kind) { return kind == NodeKind::gather || kind == NodeKind::roll; }

// Of the 4 KiB that a launch can pass to a kernel, what is left for operands and numbers.
constexpr std::size_t kMaxArgumentBytes = 3584;
constexpr std::size_t kScalarBytes = 16;
// Smaller arrays are computed for themselves in spaces above this: one more launch costs less.
constexpr std::int64_t kMaxRepeated = std::int64_t{1} << 16;

class RegionSearch {
 public:
  RegionSearch(std::span<const Array> roots, const KernelForm& form, const Snapshot& snapshot)
      : snapshot_(snapshot),
        form_(form),
        size_(element_count(form.space)),
        readings_(roots, snapshot) {
    if (!form.row_axes.empty()) rows_ = row_shape(form.space, form.row_axes);
  }

  void visit_below(const Array& root) {
    const NodePointer node = snapshot_.node_of(root);
    if (node && seen_.insert(&root.state())) visit_inputs(node);
  }
  void visit_source(const Array& source) {
    const NodePointer node = snapshot_.node_of(source);
    if (!node || !seen_.insert(&source.state())) return;
    if (const auto reason = reason_to_cut(source, *node)) {
      add_materialized(source, *reason);
    } else {
      visit_inputs(node);
    }
  }
  // After all were visited. What somebody else has is looked for where nothing stands in the way:
  // readings are counted once for each kernel then, however many others are below it.
  void find_live() {
    if (!region.materialized_inputs.empty()) return;
    for (const Reading& reading : shared_) {
      const Array& array = reading.array();
      const NodePointer node = snapshot_.node_of(array);
      if (!node || is_number(array, *node) || !readings_.is_live(array)) continue;
      if (may_be_left(array, form_.free_operations, snapshot_)) {
        region.left.push_back(array);
      } else if (may_store(array)) {
        region.live_outputs.push_back(array);
      } else {
        add_materialized(array, CutReason::referenced);
      }
    }
  }

  Region region;

 private:
  void visit_inputs(const NodePointer& reader) {
    const InputNodes below(*reader, snapshot_);
    for (std::size_t i = 0; i < below.size(); ++i) {
      count_argument(reader->inputs[i], below[i], reader->kind);
    }
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (below[i]) visit(reader, i, below[i]);
    }
  }
  void visit(const NodePointer& reader, std::size_t input, const NodePointer& node) {
    const Array& array = reader->inputs[input];
    if (input == 0 && reads_elsewhere(reader->kind)) return store_first(array);
    if (!seen_.insert(&array.state())) return;
    // Numbers cost nothing, also where the kernel has as many nodes as it may.
    if (node->kind == NodeKind::scalar) return;
    if (const auto reason = reason_to_cut(array, *node)) return add_materialized(array, *reason);
    if (is_repeated(array, *node)) return add_materialized(array, CutReason::repeated);
    if (snapshot_.owners_of(array) > 1) shared_.push_back({reader, input});
    visit_inputs(node);
  }
  // Those of a node are counted before what is below it is looked at, which may be left out then.
  void count_argument(const Array& input, const NodePointer& node, NodeKind reader) {
    if (argument_bytes_ > kMaxArgumentBytes) return;
    if (node && node->kind != NodeKind::scalar) return;
    if (!arguments_.insert(&input.state())) return;
    argument_bytes_ += node ? kScalarBytes : operand_bytes(input, reader);
  }
  // A pointer and what leads from one element to the next: of a rolled operand, three numbers for
  // each dimension.
  std::size_t operand_bytes(const Array& input, NodeKind reader) const {
    constexpr std::size_t kNumber = sizeof(std::int64_t);
    const auto rank = static_cast<std::size_t>(form_.space.rank());
    if (reader == NodeKind::roll) return kNumber * (1 + 3 * rank);
    const bool is_flat = input.shape() == form_.space && snapshot_.is_c_contiguous(input);
    return is_flat || reader == NodeKind::gather ? kNumber : kNumber * (1 + rank);
  }
  // Also where the kernel computes it as well.
  void store_first(const Array& array) {
    seen_.insert(&array.state());
    if (stored_first_.insert(&array.state())) add_materialized(array, CutReason::read_elsewhere);
  }
  void add_materialized(const Array& array, CutReason reason) {
    region.materialized_inputs.push_back(array);
    region.reasons.push_back(reason);
  }
  std::optional<CutReason> reason_to_cut(const Array& array, const Node& node) {
    if (!may_be_computed(array, node)) {
      return is_mapped(node.kind) ? CutReason::read_elsewhere : CutReason::not_elementwise;
    }
    if (++nodes_ > most_nodes()) return CutReason::too_many_nodes;
    if (argument_bytes_ > kMaxArgumentBytes) return CutReason::too_many_arguments;
    if (!numbering_fits(node, array)) return CutReason::numbered;
    return std::nullopt;
  }
  int most_nodes() const { return has_rows() ? kMaxNodesOfRows : kMaxNodesPerKernel; }
  bool may_be_computed(const Array& array, const Node& node) const {
    if (is_elementwise(node.kind)) return !has_rows() || may_be_of_rows(array, node);
    if (node.kind == NodeKind::roll) return form_.has_rolls;
    return form_.has_stages && is_one_per_row(array.shape(), rows_) &&
           combines_rows(node, form_.space, form_.row_axes, snapshot_);
  }
  bool may_be_of_rows(const Array& array, const Node& node) const {
    if (node.kind == NodeKind::gather) return false;
    const bool is_of_row = array.shape() != form_.space && is_one_per_row(array.shape(), rows_);
    return is_of_row || !may_loop(node);
  }
  bool has_rows() const { return !form_.row_axes.empty(); }
  // Random numbers are stored rather than the positions that they are made of.
  bool numbering_fits(const Node& node, const Array& array) const {
    const bool has_positions =
        node.kind == NodeKind::index || (node.kind == NodeKind::ufunc && is_random(node.ufunc));
    return !has_positions || (form_.row_major && array.shape() == form_.space);
  }
  bool is_repeated(const Array& array, const Node& node) const {
    return size_ > kMaxRepeated && array.size() < size_ && node.kind != NodeKind::scalar &&
           !is_number(array, node) && !is_made_of_scalars(node) &&
           !(has_rows() && is_one_per_row(array.shape(), rows_));
  }
  // One element by a few operations: where they are free for every thread that needs it, that costs
  // less than a kernel and the wait for it.
  bool is_number(const Array& array, const Node& node) const {
    int operations = form_.free_operations / 8;
    return node.kind == NodeKind::scalar ||
           (size_ > 1 && !has_rows() && is_short(array, node, operations));
  }
  bool is_short(const Array& array, const Node& node, int& operations) const {
    if (array.size() != 1) return false;
    const bool is_cheap_step = node.kind == NodeKind::cast || node.kind == NodeKind::select ||
                               (node.kind == NodeKind::ufunc && is_cheap(node.ufunc));
    if (!is_cheap_step || --operations < 0) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Array& input) {
      const NodePointer below = snapshot_.node_of(input);
      return input.size() == 1 &&
             (!below || !is_elementwise(below->kind) || below->kind == NodeKind::scalar ||
              is_short(input, *below, operations));
    });
  }
  // A few operations on numbers cost less than a kernel.
  bool is_made_of_scalars(const Node& node, int depth = 4) const {
    return is_elementwise(node.kind) && node.kind != NodeKind::index && depth > 0 &&
           std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Array& input) {
             const NodePointer below = snapshot_.node_of(input);
             return below &&
                    (below->kind == NodeKind::scalar ||
                     (!snapshot_.is_laid_out(input) && is_made_of_scalars(*below, depth - 1)));
           });
  }
  bool may_store(const Array& array) const {
    const bool fits =
        array.shape() == form_.space || (has_rows() && is_one_per_row(array.shape(), rows_));
    return form_.stores_live_outputs && fits && region.live_outputs.size() < kMaxLiveOutputs;
  }

  const Snapshot& snapshot_;
  const KernelForm& form_;
  const std::int64_t size_;
  Dims rows_;  // the shape of what rows are reduced to
  Readings readings_;
  int nodes_ = 0;
  std::vector<Reading> shared_;  // first readings of what has several owners
  std::size_t argument_bytes_ = 0;
  Visited seen_;
  Visited stored_first_;
  Visited arguments_;
};

void collect_leaves(const Array& array, const Snapshot& snapshot, Visited& seen, Leaves& leaves) {
  if (!seen.insert(&array.state())) return;
  const NodePointer node = snapshot.node_of(array);
  if (!node) {
    leaves.walked.push_back(array);
    return;
  }
  if (!is_mapped(node->kind)) return;
  std::span<const Array> inputs = node->inputs;
  if (reads_elsewhere(node->kind)) {
    leaves.gathered.push_back(inputs.front());
    inputs = inputs.subspan(1);
  }
  for (const Array& input : inputs) collect_leaves(input, snapshot, seen, leaves);
}

void collect_layouts(const Array& array, const Snapshot& snapshot, Visited& seen,
                     std::vector<Array>& layouts) {
  if (!seen.insert(&array.state())) return;
  if (snapshot.is_laid_out(array)) {
    layouts.push_back(array);
    return;
  }
  const NodePointer node = snapshot.node_of(array);
  if (!node || !is_elementwise(node->kind)) return;
  const std::size_t first = node->kind == NodeKind::gather ? 1 : 0;
  for (std::size_t i = first; i < node->inputs.size(); ++i) {
    collect_layouts(node->inputs[i], snapshot, seen, layouts);
  }
}

// The search for the one reduction below an elementwise root.
class ReductionSearch {
 public:
  ReductionSearch(const Array& root, const Snapshot& snapshot) : root_(root), snapshot_(snapshot) {}

  // None where something else is below the root, or somebody has what is. Owners are counted last,
  // which takes a walk through everything that is pending.
  Array find(const NodePointer& node) {
    if (!visit_inputs(node) || !found_.has_value()) return {};
    Readings readings({&root_, 1}, snapshot_);
    const bool is_live = std::any_of(shared_.begin(), shared_.end(), [&](const Reading& each) {
      return readings.is_live(each.array(), is_same(each.array(), found_) ? 1 : 0);
    });
    return is_live ? Array() : found_;
  }

 private:
  bool visit_inputs(const NodePointer& node) {
    for (std::size_t i = 0; i < node->inputs.size(); ++i) {
      const Array& input = node->inputs[i];
      const NodePointer below = snapshot_.node_of(input);
      if (below && below->kind == NodeKind::scalar) continue;
      if (snapshot_.owners_of(input) > 1) shared_.push_back({node, i});
      if (!visit(input, below)) return false;
    }
    return true;
  }
  bool visit(const Array& array, const NodePointer& node) {
    if (!seen_.insert(&array.state())) return true;
    if (!node || ++nodes_ > kMaxNodesOfRows) return false;
    if (is_elementwise(node->kind)) return is_pointwise(node->kind) && visit_inputs(node);
    if (node->kind != NodeKind::reduce || found_.has_value() || array.shape() != root_.shape()) {
      return false;
    }
    found_ = array;
    return true;
  }
  static bool is_pointwise(NodeKind kind) {
    return kind != NodeKind::index && kind != NodeKind::gather;
  }

  const Array& root_;
  const Snapshot& snapshot_;
  std::vector<Reading> shared_;  // of what has several owners
  Array found_;
  Visited seen_;
  int nodes_ = 0;
};

}  // namespace

Region find_region(std::span<const Array> roots, const KernelForm& form, const Snapshot& snapshot) {
  RegionSearch search(roots, form, snapshot);
  for (const Array& root : roots) search.visit_below(root);
  search.find_live();
  return std::move(search.region);
}

Region find_row_region(std::span<const Array> roots, const RowGroup& group, int free_operations,
                       const Snapshot& snapshot) {
  const KernelForm form{.space = group.rows.space,
                        .row_major = false,
                        .stores_live_outputs = group.has_stages,
                        .row_axes = group.rows.axes,
                        .has_stages = group.has_stages,
                        .free_operations = free_operations};
  RegionSearch search(roots, form, snapshot);
  for (const Array& root : group.tops.empty() ? roots : std::span<const Array>(group.tops)) {
    search.visit_below(root);
  }
  search.find_live();
  return std::move(search.region);
}

Region find_source_region(std::span<const Array> sources, const KernelForm& form,
                          const Snapshot& snapshot) {
  RegionSearch search(sources, form, snapshot);
  for (const Array& source : sources) search.visit_source(source);
  search.find_live();
  return std::move(search.region);
}

Leaves find_leaves(const Array& root, const Snapshot& snapshot) {
  Visited seen;
  Leaves leaves;
  collect_leaves(root, snapshot, seen, leaves);
  return leaves;
}

std::vector<Array> find_stored_below(const Array& root) {
  Worklist work;
  Visited seen;
  std::vector<Array> found;
  work.add(root);
  while (const NodePointer node = work.next()) {
    for (const Array& input : node->inputs) {
      if (!is_stored(input)) {
        work.add(input);
      } else if (seen.insert(&input.state())) {
        found.push_back(input);
      }
    }
  }
  return found;
}

std::vector<Array> find_layouts(const Array& root, const Snapshot& snapshot) {
  Visited seen;
  std::vector<Array> layouts;
  collect_layouts(root, snapshot, seen, layouts);
  return layouts;
}

bool is_alone(const Node& node, const Snapshot& snapshot) {
  const bool goes_by_offsets =
      node.kind == NodeKind::gather || node.kind == NodeKind::segment_reduce;
  return !goes_by_offsets &&
         std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Array& input) {
           const NodePointer below = snapshot.node_of(input);
           return !below || below->kind == NodeKind::scalar;
         });
}

Array find_reduction_below(const Array& root, const Snapshot& snapshot) {
  const NodePointer node = snapshot.node_of(root);
  if (!node || !is_elementwise(node->kind)) return {};
  return ReductionSearch(root, snapshot).find(node);
}

}  // namespace cupola
