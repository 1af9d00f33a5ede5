#include "graph/fusion.h"

#include <unordered_set>

namespace cupola {

namespace {

constexpr int kMaxNodesPerKernel = 48;

class BarrierSearch {
 public:
  BarrierSearch(const Dims& space, bool row_major) : space_(space), row_major_(row_major) {}

  void visit(const Array& array, bool must_be_stored) {
    if (is_stored(array) || !seen_.insert(&array.state()).second) return;
    const Node& node = *array.state().node;
    if (must_be_stored || !is_elementwise(node.kind) || ++nodes_ > kMaxNodesPerKernel ||
        !numbering_fits(node, array)) {
      barriers.push_back(array);
      return;
    }
    const std::vector<Array>& inputs = array.state().inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      visit(inputs[i], node.kind == NodeKind::gather && i == 0);
    }
  }

  std::vector<Array> barriers;

 private:
  bool numbering_fits(const Node& node, const Array& array) const {
    return node.kind != NodeKind::index || (row_major_ && array.shape() == space_);
  }

  const Dims& space_;
  bool row_major_;
  int nodes_ = 0;
  std::unordered_set<const ArrayState*> seen_;
};

void collect_leaves(const Array& array, std::unordered_set<const ArrayState*>& seen,
                    Leaves& leaves) {
  if (!seen.insert(&array.state()).second) return;
  if (is_stored(array)) {
    leaves.walked.push_back(array);
    return;
  }
  const NodeKind kind = array.state().node->kind;
  if (!is_elementwise(kind)) return;
  std::span<const Array> inputs = array.state().inputs;
  if (kind == NodeKind::gather) {
    leaves.gathered.push_back(inputs.front());
    inputs = inputs.subspan(1);
  }
  for (const Array& input : inputs) collect_leaves(input, seen, leaves);
}

}  // namespace

std::vector<Array> find_barriers(std::span<const Array> roots, const Dims& space, bool row_major) {
  BarrierSearch search(space, row_major);
  for (const Array& root : roots) search.visit(root, false);
  return std::move(search.barriers);
}

Leaves find_leaves(const Array& root) {
  std::unordered_set<const ArrayState*> seen;
  Leaves leaves;
  collect_leaves(root, seen, leaves);
  return leaves;
}

}  // namespace cupola
