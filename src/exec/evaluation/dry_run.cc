#include "exec/evaluation/dry_run.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "exec/evaluation/allocation.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/result_layout.h"
#include "graph/fusion.h"

namespace cupola {

namespace {

// Where no process has memory. The least alignment of all that is allocated.
constexpr std::uintptr_t kNowhere = std::uintptr_t{1} << 62;
constexpr std::uintptr_t kAlignment = 256;

// The pending graph below some roots, as arrays that nobody else knows of. Arrays that somebody
// holds besides the graph are held by this, as that decides what is stored.
class GraphCopy {
 public:
  explicit GraphCopy(std::span<const Array> roots) {
    for (const Array& root : roots) copy_below(root);
    for (const auto& [state, entry] : copies_) {
      const long readings = static_cast<long>(entry.readings);
      if (entry.original.handle().use_count() - 1 > readings) held_.push_back(entry.copy);
    }
    for (const Array& root : roots) roots_.push_back(copy_of(root));
    copies_.clear();
  }
  std::span<const Array> roots() const { return roots_; }

 private:
  struct Entry {
    Array original;
    Array copy;
    std::size_t readings = 0;
  };
  struct Open {
    Array array;
    NodePointer node;
    std::size_t next = 0;  // of its inputs
  };

  void copy_below(const Array& root) {
    std::vector<Open> open;
    visit(root, open);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next < top.node->inputs.size()) {
        const Array& input = top.node->inputs[top.next++];
        visit(input, open);  // `top` may be elsewhere afterwards
        continue;
      }
      const Open done = std::move(open.back());
      open.pop_back();
      add(done.array, *done.node);
    }
  }
  void visit(const Array& array, std::vector<Open>& open) {
    if (!seen_.insert(&array.state()).second) return;
    if (NodePointer node = node_of(array)) open.push_back({array, std::move(node)});
  }
  void add(const Array& array, const Node& node) {
    std::vector<Array> inputs;
    for (const Array& input : node.inputs) {
      inputs.push_back(copy_of(input));
      if (const auto found = copies_.find(&input.state()); found != copies_.end()) {
        ++found->second.readings;
      }
    }
    const ArrayState& known = array.state();
    auto state = std::make_shared<ArrayState>(known.dtype, known.shape, known.device);
    state->is_laid_out = known.is_laid_out;
    if (known.is_laid_out) state->layout = known.layout;
    state->stream = known.stream;
    state->is_left = known.is_left.load(std::memory_order_relaxed);
    state->computation =
        std::make_shared<const Node>(Operation(node), std::move(inputs), node.made_at);
    copies_.emplace(&known, Entry{array, Array(std::move(state))});
  }
  Array copy_of(const Array& array) const {
    const auto found = copies_.find(&array.state());
    return found == copies_.end() ? array : found->second.copy;
  }

  std::unordered_set<const ArrayState*> seen_;
  std::unordered_map<const ArrayState*, Entry> copies_;
  std::vector<Array> roots_;
  std::vector<Array> held_;
};

}  // namespace

DryRun::DryRun() noexcept : outer_(std::exchange(current_, this)), next_address_(kNowhere) {}

DryRun::~DryRun() { current_ = outer_; }

Array DryRun::place(const Array& pending) {
  const Dims& shape = pending.shape();
  Layout layout = layout_for(pending);
  const auto bytes =
      static_cast<std::size_t>((touched_extent(shape, layout).last + 1) * pending.item_size());
  auto storage =
      std::make_shared<Storage>(pending.device(), reinterpret_cast<void*>(next_address_), bytes);
  next_address_ += (bytes / kAlignment + 1) * kAlignment;
  return make_stored(pending.dtype(), shape, std::move(storage), std::move(layout));
}

void DryRun::add(PlannedLaunch planned) {
  const Dims& extents = planned.arguments.extents;
  const bool is_empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  if (!is_empty) work_.launches.push_back({std::move(planned), noted_position});
}

void DryRun::note_cuts(const Region& region) {
  for (std::size_t i = 0; i < region.materialized_inputs.size(); ++i) {
    const Array& array = region.materialized_inputs[i];
    if (!is_stored(array)) continue;
    work_.cuts.push_back({reinterpret_cast<std::uintptr_t>(pointer_of(array)), region.reasons[i]});
  }
}

DryRunWork dry_run_of(std::span<const Array> arrays) {
  const GraphCopy copy(with_siblings(arrays));
  DryRun dry_run;
  evaluate(copy.roots());
  return dry_run.take();
}

}  // namespace cupola
