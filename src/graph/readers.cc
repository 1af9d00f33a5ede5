#include "graph/readers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "graph/node.h"
#include "graph/readings.h"

namespace cupola {

namespace {

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

// Whether one of the stored arrays below a pending one is meant.
template <typename IsMeant>
bool reads_any(const Array& root, const IsMeant& is_meant) {
  Worklist work;
  work.add(root);
  while (const NodePointer node = work.next()) {
    for (const Array& input : node->inputs) {
      if (!node_of(input) && is_meant(input)) return true;
      work.add(input);
    }
  }
  return false;
}

}  // namespace

OwnReaders find_own_readers(std::span<const Array> sources, std::span<const Array> stored,
                            const Array& target) {
  const Storage& storage = *target.state().storage;
  Readings readings(sources);
  OwnReaders own;
  Worklist work;
  for (const Array& source : sources) {  // others have those that are laid out
    if (!is_laid_out(source) || may_stay_pending(source, target)) work.add(source);
  }
  for (const Array& array : stored) work.add(array);
  while (const NodePointer node = work.next()) {
    for (const Array& input : node->inputs) {
      if (!node_of(input)) {  // views of stored arrays are stored
        own.count += input.state().storage.get() == &storage ? 1 : 0;
      } else if (!readings.is_live(input) || may_stay_pending(input, target)) {
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
  return reads_any(root,
                   [&](const Array& array) { return array.state().storage.get() == &storage; });
}

bool may_stay_pending(const Array& array, const Array& target) {
  return array.state().is_passing.load(std::memory_order_relaxed) &&
         !reads_any(array, [&](const Array& read) { return may_overlap(read, target); });
}

}  // namespace cupola
