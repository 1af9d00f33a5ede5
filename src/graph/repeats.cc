#include "graph/repeats.h"

#include "base/process/environment.h"
#include "base/threads/lazy.h"
#include "graph/readings.h"

namespace cupola {

namespace {

// Short operations that a long one counts for, and that no number of operations allows.
constexpr int kLong = 8;
constexpr int kNever = 1 << 20;

int operations_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::scalar:
    case NodeKind::view:
      return 0;
    case NodeKind::cast:
    case NodeKind::select:
    case NodeKind::roll:
    case NodeKind::reduce:
      return node.function ? kNever : 1;
    case NodeKind::ufunc:
      if (is_random(node.ufunc)) return kNever;
      return is_cheap(node.ufunc) ? 1 : kLong;
    case NodeKind::index:
    case NodeKind::user:
    case NodeKind::gather:
    case NodeKind::arg_reduce:
    case NodeKind::scan:
    case NodeKind::segment_reduce:
      return kNever;
  }
  __builtin_unreachable();
}

}  // namespace

std::int64_t least_left() {
  static constinit Lazy<const std::int64_t> least;
  return least.get([] {
    constexpr std::uint64_t kUsual = std::uint64_t{1} << 18;
    return static_cast<std::int64_t>(
        whole_number_setting("CUPOLA_LEAST_LEFT", 0, std::uint64_t{1} << 40).value_or(kUsual));
  });
}

bool may_be_left(const Array& array, int operations, const Snapshot& snapshot) {
  if (snapshot.is_left(array)) return false;
  if (array.state().is_passing.load(std::memory_order_relaxed)) return true;
  if (operations == 0 || array.size() < least_left()) return false;
  std::int64_t bytes = 2 * array.nbytes();
  Worklist work(snapshot);
  Visited stored;
  work.add(array);
  while (const NodePointer node = work.next()) {
    if ((operations -= operations_of(*node)) < 0) return false;
    for (const Array& input : node->inputs) {
      work.add(input);
      if (!snapshot.is_stored(input) || !stored.insert(&input.state())) continue;
      if ((bytes -= input.nbytes()) < 0) return false;
    }
  }
  return true;
}

}  // namespace cupola
