#include "graph/snapshot.h"

#include <deque>
#include <utility>
#include <vector>

#include "base/containers/pointer_map.h"
#include "base/threads/lazy.h"
#include "graph/views.h"

namespace cupola {

struct Snapshot::Change {
  bool is_stored = false;
  bool is_left = false;
  long owners_gone = 0;
  NodePointer next{};  // what computes it; null: what does now
  Layout layout{};     // once it is stored
  Array stored_as{};
};

struct Snapshot::Changes {
  Change& operator[](const Array& array) {
    std::uint32_t& number = numbers[&array.state()];
    if (number == 0) {
      all.emplace_back();
      number = static_cast<std::uint32_t>(all.size());
    }
    return all[number - 1];
  }

  PointerMap<std::uint32_t> numbers;  // counted from 1
  std::deque<Change> all;
  std::vector<WeakArray> views;  // see take_stored_views()
};

const Snapshot& Snapshot::now() noexcept {
  static constinit Lazy<const Snapshot> current;
  return *current;
}

Snapshot::Snapshot() noexcept = default;
Snapshot::~Snapshot() = default;

Snapshot::Change& Snapshot::change_of(const Array& array) {
  if (!changes_) changes_ = std::make_unique<Changes>();
  return (*changes_)[array];
}

Snapshot::Change* Snapshot::find(const Array& array) const {
  const std::uint32_t* const number = changes_->numbers.find(&array.state());
  return number ? &changes_->all[*number - 1] : nullptr;
}

NodePointer Snapshot::changed_node_of(const Array& array) const {
  const Change* const change = find(array);
  if (change && change->is_stored) return nullptr;
  NodePointer node = change && change->next ? change->next : cupola::node_of(array);
  if (!node || node->kind != NodeKind::view || changed_node_of(node->inputs[0])) return node;
  store_view(array, std::move(node));
  return nullptr;
}

bool Snapshot::will_be_stored(const Array& array) const {
  const Change* const change = find(array);
  return change && change->is_stored;
}

const Layout& Snapshot::changed_layout_of(const Array& array) const {
  const Change* const change = find(array);
  return change && change->is_stored ? change->layout : array.state().layout;
}

long Snapshot::owners_gone(const Array& array) const {
  const Change* const change = find(array);
  return change ? change->owners_gone : 0;
}

const Array& Snapshot::changed_stored(const Array& array) const {
  const Change* const change = find(array);
  return change && change->stored_as.has_value() ? change->stored_as : array;
}

bool Snapshot::is_left(const Array& array) const {
  if (array.state().is_left.load(std::memory_order_relaxed)) return true;
  const Change* const change = changes_ ? find(array) : nullptr;
  return change && change->is_left;
}

void Snapshot::store(const Array& pending, const Layout& layout, const Array& as) {
  NodePointer node = node_of(pending);
  if (!node) return;  // stored before
  Change& change = change_of(pending);
  change.is_stored = true;
  change.layout = layout;
  change.stored_as = as;
  release(std::move(node));
}

// With the array that it is a view of.
void Snapshot::store_view(const Array& view, NodePointer node) const {
  const Array& base = node->inputs[0];
  changes_->views.push_back(view.handle());
  Change& change = (*changes_)[view];
  change.is_stored = true;
  change.layout = cupola::is_laid_out(view) ? view.state().layout
                                            : layout_of_view(view, *node, layout_of(base));
  if (const Array& as = changed_stored(base); !is_same(as, base)) {
    change.stored_as = make_view(as, view.shape(), change.layout);
  }
  release(std::move(node));
}

std::vector<WeakArray> Snapshot::take_stored_views() {
  return changes_ ? std::exchange(changes_->views, {}) : std::vector<WeakArray>();
}

void Snapshot::leave(const Array& pending) { change_of(pending).is_left = true; }

void Snapshot::replace(const Array& pending, NodePointer next) {
  NodePointer known = node_of(pending);
  change_of(pending).next = std::move(next);
  release(std::move(known));
}

// A computation that is gone has its inputs no more, so that those that nobody else has go, too.
void Snapshot::release(NodePointer first) const {
  std::vector<NodePointer> gone;
  if (first) gone.push_back(std::move(first));
  while (!gone.empty()) {
    const NodePointer node = std::move(gone.back());
    gone.pop_back();
    for (const Array& input : node->inputs) {
      if (cupola::is_stored(input)) continue;
      Change& change = (*changes_)[input];
      ++change.owners_gone;
      if (change.is_stored || change.owners_gone < input.handle().use_count()) continue;
      if (NodePointer below = changed_node_of(input)) gone.push_back(std::move(below));
    }
  }
}

}  // namespace cupola
