#include "graph/fusion.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "graph/readings.h"
#include "graph/repeats.h"

namespace cupola {

namespace {

// Of the first input, at places of its own.
bool reads_elsewhere(NodeKind kind) { return kind == NodeKind::gather || kind == NodeKind::roll; }

constexpr std::size_t kMaxHeld = 8;
// Of the 4 KiB that a launch can pass to a kernel, what is left for operands and numbers.
constexpr std::size_t kMaxArgumentBytes = 3584;
constexpr std::size_t kScalarBytes = 16;
// Smaller arrays are computed for themselves in spaces above this: one more launch costs less.
constexpr std::int64_t kMaxRepeated = std::int64_t{1} << 16;

class RegionSearch {
 public:
  RegionSearch(std::span<const Array> roots, const KernelForm& form)
      : form_(form), size_(element_count(form.space)), readings_(roots) {
    if (!form.row_axes.empty()) rows_ = row_shape(form.space, form.row_axes);
  }

  void visit_below(const Array& root) {
    const NodePointer node = node_of(root);
    if (node && seen_.insert(&root.state())) visit_inputs(node);
  }
  void visit_source(const Array& source) {
    const NodePointer node = node_of(source);
    if (!node || !seen_.insert(&source.state())) return;
    if (is_barrier(source, *node)) {
      region.barriers.push_back(source);
    } else {
      visit_inputs(node);
    }
  }
  // After all were visited. What somebody else has is looked for where nothing stands in the way:
  // readings are counted once for each kernel then, however many others are below it.
  void find_held() {
    if (!region.barriers.empty()) return;
    for (const auto& [reader, input] : shared_) {
      const Array& array = reader->inputs[input];
      const NodePointer node = node_of(array);
      if (!node || is_number(array, *node) || !readings_.is_held(array)) continue;
      if (form_.free_operations > 0 && may_be_left(array, form_.free_operations)) {
        region.left.push_back(array);
      } else {
        (may_store(array) ? region.held : region.barriers).push_back(array);
      }
    }
  }

  Region region;

 private:
  struct Reading {
    NodePointer reader;
    std::size_t input;
  };

  void visit_inputs(const NodePointer& node) {
    for (const Array& input : node->inputs) count_argument(input, node->kind);
    for (std::size_t i = 0; i < node->inputs.size(); ++i) visit(node, i);
  }
  void visit(const NodePointer& reader, std::size_t input) {
    const Array& array = reader->inputs[input];
    const NodePointer node = node_of(array);
    if (!node) return;
    if (input == 0 && reads_elsewhere(reader->kind)) return store_first(array);
    if (!seen_.insert(&array.state())) return;
    // Numbers cost nothing, also where the kernel has as many nodes as it may.
    if (node->kind == NodeKind::scalar) return;
    if (is_barrier(array, *node) || is_repeated(array, *node)) {
      region.barriers.push_back(array);
      return;
    }
    if (array.handle().use_count() > 1) shared_.push_back({reader, input});
    visit_inputs(node);
  }
  // Those of a node are counted before what is below it is looked at, which may be left out then.
  void count_argument(const Array& input, NodeKind reader) {
    if (argument_bytes_ > kMaxArgumentBytes) return;
    const NodePointer node = node_of(input);
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
    const bool is_flat = input.shape() == form_.space && is_c_contiguous(input);
    return is_flat || reader == NodeKind::gather ? kNumber : kNumber * (1 + rank);
  }
  // Also where the kernel computes it as well.
  void store_first(const Array& array) {
    seen_.insert(&array.state());
    if (stored_first_.insert(&array.state())) region.barriers.push_back(array);
  }
  bool is_barrier(const Array& array, const Node& node) {
    return !may_be_computed(array, node) || ++nodes_ > most_nodes() ||
           argument_bytes_ > kMaxArgumentBytes || !numbering_fits(node, array);
  }
  int most_nodes() const { return has_rows() ? kMaxNodesOfRows : kMaxNodesPerKernel; }
  bool may_be_computed(const Array& array, const Node& node) const {
    if (is_elementwise(node.kind)) return !has_rows() || may_be_of_rows(array, node);
    if (node.kind == NodeKind::roll) return form_.has_rolls;
    return form_.has_stages && is_one_per_row(array.shape(), rows_) &&
           combines_rows(node, form_.space, form_.row_axes);
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
  static bool is_short(const Array& array, const Node& node, int& operations) {
    if (array.size() != 1) return false;
    const bool is_cheap_step = node.kind == NodeKind::cast || node.kind == NodeKind::select ||
                               (node.kind == NodeKind::ufunc && is_cheap(node.ufunc));
    if (!is_cheap_step || --operations < 0) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Array& input) {
      const NodePointer below = node_of(input);
      return input.size() == 1 &&
             (!below || !is_elementwise(below->kind) || below->kind == NodeKind::scalar ||
              is_short(input, *below, operations));
    });
  }
  // A few operations on numbers cost less than a kernel.
  static bool is_made_of_scalars(const Node& node, int depth = 4) {
    return is_elementwise(node.kind) && node.kind != NodeKind::index && depth > 0 &&
           std::all_of(node.inputs.begin(), node.inputs.end(), [depth](const Array& input) {
             const NodePointer below = node_of(input);
             return below && (below->kind == NodeKind::scalar ||
                              (!is_laid_out(input) && is_made_of_scalars(*below, depth - 1)));
           });
  }
  bool may_store(const Array& array) const {
    const bool fits =
        array.shape() == form_.space || (has_rows() && is_one_per_row(array.shape(), rows_));
    return form_.stores_held && fits && region.held.size() < kMaxHeld;
  }

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

void collect_leaves(const Array& array, Visited& seen, Leaves& leaves) {
  if (!seen.insert(&array.state())) return;
  const NodePointer node = node_of(array);
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
  for (const Array& input : inputs) collect_leaves(input, seen, leaves);
}

void collect_layouts(const Array& array, Visited& seen, std::vector<Array>& layouts) {
  if (!seen.insert(&array.state())) return;
  if (is_laid_out(array)) {
    layouts.push_back(array);
    return;
  }
  const NodePointer node = node_of(array);
  if (!node || !is_elementwise(node->kind)) return;
  const std::size_t first = node->kind == NodeKind::gather ? 1 : 0;
  for (std::size_t i = first; i < node->inputs.size(); ++i) {
    collect_layouts(node->inputs[i], seen, layouts);
  }
}

// The search for the one reduction below an elementwise root.
class ReductionSearch {
 public:
  explicit ReductionSearch(const Array& root) : shape_(root.shape()), readings_({&root, 1}) {}

  // False: something below stands in the way.
  bool visit_inputs(const Node& node) {
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [this](const Array& input) { return visit(input); });
  }
  Array found;

 private:
  bool visit(const Array& array) {
    if (!seen_.insert(&array.state())) return true;
    const NodePointer node = node_of(array);
    if (!node || ++nodes_ > kMaxNodesOfRows) return false;
    if (node->kind == NodeKind::scalar) return true;
    if (readings_.is_held(array)) return false;
    if (is_elementwise(node->kind)) return is_pointwise(node->kind) && visit_inputs(*node);
    if (node->kind != NodeKind::reduce || found.has_value() || array.shape() != shape_) {
      return false;
    }
    found = array;
    return true;
  }
  static bool is_pointwise(NodeKind kind) {
    return kind != NodeKind::index && kind != NodeKind::gather;
  }

  const Dims shape_;
  Readings readings_;
  Visited seen_;
  int nodes_ = 0;
};

// Looks at each pending array once, however many roots are asked about.
class ReaderSearch {
 public:
  explicit ReaderSearch(const Storage& storage) : storage_(storage) {}

  bool reads(const Array& root) {
    if (!node_of(root)) return false;
    bool found = visit(root);
    while (!open_.empty()) {
      Open& top = open_.back();
      top.reads |= found;
      if (!top.reads && top.next < top.node->inputs.size()) {
        const Array input = top.node->inputs[top.next++];  // `top` may be elsewhere afterwards
        found = visit(input);
        continue;
      }
      found = top.reads;
      known_[&top.array.state()] = found;
      looked_at_.push_back(std::move(top.array));
      open_.pop_back();
    }
    return found;
  }

 private:
  struct Open {
    Array array;
    NodePointer node;
    std::size_t next = 0;  // of its inputs
    bool reads = false;
  };

  // What is not known yet is open afterwards.
  bool visit(const Array& array) {
    NodePointer node = node_of(array);
    if (!node) return array.state().storage.get() == &storage_;
    if (const bool* const known = known_.find(&array.state())) return *known;
    open_.push_back({array, std::move(node)});
    return false;
  }

  const Storage& storage_;
  std::vector<Open> open_;
  PointerMap<bool> known_;
  std::vector<Array> looked_at_;  // so that no address becomes another array's
};

}  // namespace

Region find_region(std::span<const Array> roots, const KernelForm& form) {
  RegionSearch search(roots, form);
  for (const Array& root : roots) search.visit_below(root);
  search.find_held();
  return std::move(search.region);
}

Region find_row_region(std::span<const Array> roots, const RowGroup& group, int free_operations) {
  const KernelForm form{.space = group.rows.space,
                        .row_major = false,
                        .stores_held = group.has_stages,
                        .row_axes = group.rows.axes,
                        .has_stages = group.has_stages,
                        .free_operations = free_operations};
  RegionSearch search(roots, form);
  for (const Array& root : group.tops.empty() ? roots : std::span<const Array>(group.tops)) {
    search.visit_below(root);
  }
  search.find_held();
  return std::move(search.region);
}

Region find_source_region(std::span<const Array> sources, const KernelForm& form) {
  RegionSearch search(sources, form);
  for (const Array& source : sources) search.visit_source(source);
  search.find_held();
  return std::move(search.region);
}

Leaves find_leaves(const Array& root) {
  Visited seen;
  Leaves leaves;
  collect_leaves(root, seen, leaves);
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

std::vector<Array> find_layouts(const Array& root) {
  Visited seen;
  std::vector<Array> layouts;
  collect_layouts(root, seen, layouts);
  return layouts;
}

bool is_alone(const Node& node) {
  const bool goes_by_offsets =
      node.kind == NodeKind::gather || node.kind == NodeKind::segment_reduce;
  return !goes_by_offsets &&
         std::all_of(node.inputs.begin(), node.inputs.end(), [](const Array& input) {
           const NodePointer below = node_of(input);
           return !below || below->kind == NodeKind::scalar;
         });
}

OwnReaders find_own_readers(std::span<const Array> sources, const Storage& storage) {
  Readings readings(sources);
  OwnReaders own;
  Worklist work;
  for (const Array& source : sources) {
    if (!is_laid_out(source)) work.add(source);  // others have those that are
  }
  while (const NodePointer node = work.next()) {
    for (const Array& input : node->inputs) {
      if (!node_of(input)) {  // views of stored arrays are stored
        own.count += input.state().storage.get() == &storage ? 1 : 0;
      } else if (!readings.is_held(input)) {
        work.add(input);
      }
    }
  }
  own.nodes = work.seen();
  return own;
}

std::size_t kept_bytes(std::span<const Array> roots) {
  struct Readers {
    long left = 0;  // owners that have not been found below the roots
    bool is_known = false;
  };
  PointerMap<Readers> of_arrays, of_storages;
  Worklist work;
  for (const Array& root : roots) work.add(root);
  std::size_t bytes = 0;
  while (const NodePointer node = work.next()) {
    for (const Array& input : node->inputs) {
      if (node_of(input)) {
        work.add(input);
        continue;
      }
      Readers& array = of_arrays[&input.state()];
      if (!array.is_known) array = {input.handle().use_count(), true};
      if (--array.left != 0) continue;
      const std::shared_ptr<Storage>& storage = input.state().storage;
      Readers& arrays = of_storages[storage.get()];
      if (!arrays.is_known) arrays = {storage.use_count(), true};
      if (--arrays.left == 0) bytes += storage->bytes();
    }
  }
  return bytes;
}

std::vector<Array> find_readers(std::span<const Array> pending, const Storage& storage) {
  ReaderSearch search(storage);
  std::vector<Array> readers;
  std::copy_if(pending.begin(), pending.end(), std::back_inserter(readers),
               [&](const Array& array) { return search.reads(array); });
  return readers;
}

bool reads(const Array& root, const Storage& storage) {
  Worklist work;
  work.add(root);
  while (const NodePointer node = work.next()) {
    for (const Array& input : node->inputs) {
      if (!node_of(input) && input.state().storage.get() == &storage) return true;
      work.add(input);
    }
  }
  return false;
}

Array find_reduction_below(const Array& root) {
  const NodePointer node = node_of(root);
  if (!node || !is_elementwise(node->kind)) return {};
  ReductionSearch search(root);
  return search.visit_inputs(*node) ? search.found : Array();
}

}  // namespace cupola
