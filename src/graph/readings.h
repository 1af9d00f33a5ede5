#pragma once
// What searches of pending arrays share.

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/containers/pointer_map.h"
#include "graph/fusion.h"
#include "graph/snapshot.h"
#include "graph/user_function.h"

namespace cupola {

// Kernels for rows compute elementwise steps beyond the end of a row as well, from zeros, and
// combine what does not count.
inline bool may_loop(const Node& node) { return node.function && node.function->may_loop; }

// Each value between the operations of a kernel that computes every element by itself lies in a
// register or a cache, so that only compiling bounds their number.
inline constexpr int kMaxNodesPerKernel = 512;
// Kernels for rows hold what several steps need for whole rows.
inline constexpr int kMaxNodesOfRows = 48;

using Visited = PointerSet;

// Pending arrays that are still to be looked at, each once.
class Worklist {
 public:
  explicit Worklist(const Snapshot& snapshot = Snapshot::now()) : snapshot_(&snapshot) {}

  void add(const Array& array) {
    NodePointer node = snapshot_->node_of(array);
    if (node && seen_.insert(&array.state())) open_.push_back(std::move(node));
  }
  // Null at the end.
  NodePointer next() {
    if (open_.empty()) return nullptr;
    NodePointer node = std::move(open_.back());
    open_.pop_back();
    return node;
  }
  const Visited& seen() const { return seen_; }

 private:
  const Snapshot* snapshot_;
  Visited seen_;
  std::vector<NodePointer> open_;
};

// An input of a pending node: names the array without being one more owner.
struct Reading {
  NodePointer reader;
  std::size_t input;

  const Array& array() const { return reader->inputs[input]; }
};

// What computes the inputs of a node, null for those that are stored: asked for once, since each
// time takes a lock.
class InputNodes {
 public:
  InputNodes(const Node& node, const Snapshot& snapshot) : size_(node.inputs.size()) {
    if (size_ > few_.size()) more_.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) nodes()[i] = snapshot.node_of(node.inputs[i]);
  }
  std::size_t size() const { return size_; }
  const NodePointer& operator[](std::size_t input) const {
    return more_.empty() ? few_[input] : more_[input];
  }

 private:
  NodePointer* nodes() { return more_.empty() ? few_.data() : more_.data(); }

  std::size_t size_;
  std::array<NodePointer, 3> few_;
  std::vector<NodePointer> more_;  // all of them, if they are more
};

// How often each pending array below the roots is read there.
class Readings {
 public:
  // The roots outlive this.
  explicit Readings(std::span<const Array> roots, const Snapshot& snapshot = Snapshot::now())
      : roots_(roots), snapshot_(&snapshot) {}

  // Whether somebody else has an array below the roots: a variable of the program, or a node that
  // is not below them.
  // `others`: owners that do not count.
  bool is_live(const Array& array, long others = 0) {
    const long owners = snapshot_->owners_of(array);
    if (owners == 1) return false;
    if (!is_counted_) count();
    const long* const found = counts_.find(&array.state());
    return owners - others > (found ? *found : 0);
  }

 private:
  void count() {
    is_counted_ = true;
    Worklist work(*snapshot_);
    for (const Array& root : roots_) work.add(root);
    while (const NodePointer node = work.next()) {
      for (const Array& input : node->inputs) {
        if (snapshot_->is_stored(input)) continue;
        ++counts_[&input.state()];
        work.add(input);
      }
    }
  }

  std::span<const Array> roots_;
  const Snapshot* snapshot_;
  PointerMap<long> counts_;
  bool is_counted_ = false;
};

// What stands in the way of the group's kernel, and what it stores besides the roots.
Region find_row_region(std::span<const Array> roots, const RowGroup& group, int free_operations,
                       const Snapshot& snapshot);

// A reduction of rows of the space, in the order in which a kernel for rows combines.
bool combines_rows(const Node& node, const Dims& space, const Dims& axes, const Snapshot& snapshot);

}  // namespace cupola
