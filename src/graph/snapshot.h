#pragma once
// Which arrays are pending: as it is, or as it will be once kernels that are scheduled have run.

#include <memory>
#include <vector>

#include "cupola/error.h"
#include "graph/node.h"

namespace cupola {

// Thrown where a plan would read what is not stored: since it was scheduled, other threads have
// changed what it is made of.
class StaleSnapshot : public Error {
 public:
  StaleSnapshot() : Error("what is computed was changed by other threads each time") {}
};
// What searches and plans see of pending arrays. Changes are those of a schedule: the arrays
// themselves stay as they are.
class Snapshot {
 public:
  // Without changes.
  static const Snapshot& now() noexcept;
  Snapshot() noexcept;
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // Null once the array is stored.
  NodePointer node_of(const Array& array) const {
    return changes_ ? changed_node_of(array) : cupola::node_of(array);
  }
  bool is_stored(const Array& array) const {
    return cupola::is_stored(array) || (changes_ && will_be_stored(array));
  }
  bool is_laid_out(const Array& array) const {
    return cupola::is_laid_out(array) || (changes_ && will_be_stored(array));
  }
  // Of arrays that are laid out.
  const Layout& layout_of(const Array& array) const {
    return changes_ ? changed_layout_of(array) : array.state().layout;
  }
  const Dims& strides_of(const Array& array) const { return layout_of(array).strides; }
  bool is_c_contiguous(const Array& array) const {
    return cupola::is_c_contiguous(array.shape(), strides_of(array));
  }
  // How many have a pending array: those that compute from it, and others.
  long owners_of(const Array& array) const {
    return array.handle().use_count() - (changes_ ? owners_gone(array) : 0);
  }
  bool is_left(const Array& array) const;
  // What an array is in plans: itself, or what a pending one is stored as. Throws StaleSnapshot
  // where it is not stored.
  const Array& stored(const Array& array) const {
    if (node_of(array)) throw StaleSnapshot();
    return changes_ ? changed_stored(array) : array;
  }

  // A kernel stores the array, so that what computes it goes. `as`: see stored().
  void store(const Array& pending, const Layout& layout, const Array& as = {});
  // A kernel computes it on its way, and leaves it pending.
  void leave(const Array& pending);
  // Has a pending array computed in another way.
  void replace(const Array& pending, NodePointer next);
  // Views that were found stored with their arrays since the last call: they will be once they are
  // asked, which searches rely on.
  std::vector<WeakArray> take_stored_views();

 private:
  struct Change;
  struct Changes;

  NodePointer changed_node_of(const Array& array) const;
  bool will_be_stored(const Array& array) const;
  const Layout& changed_layout_of(const Array& array) const;
  long owners_gone(const Array& array) const;
  const Array& changed_stored(const Array& array) const;
  Change& change_of(const Array& array);
  Change* find(const Array& array) const;
  void store_view(const Array& view, NodePointer node) const;
  void release(NodePointer first) const;

  std::unique_ptr<Changes> changes_;  // null: none
};

}  // namespace cupola
