#pragma once
// What an Array handle points to: a view of storage, or a pending node that will become one.

#include <atomic>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "core/layout.h"
#include "core/storage.h"
#include "cupola/array.h"

namespace cupola {

struct Node;  // graph/node.h

struct ArrayState {
  ArrayState(DType dtype_, Dims shape_, Device device_)
      : dtype(dtype_), shape(std::move(shape_)), device(device_) {}
  // Releases chains of pending arrays without recursion.
  ~ArrayState();

  DType dtype;
  Dims shape;
  Device device;
  bool writable = true;

  // Set once, together, when the array is stored; `ready` publishes them.
  std::shared_ptr<Storage> storage;
  Layout layout;
  std::atomic<bool> ready{false};

  // The pending computation and what it reads; null and empty once ready. Guarded by `mutex` while
  // not ready.
  std::shared_ptr<const Node> node;
  std::vector<Array> inputs;
  Mutex mutex;
};

// A view of stored elements.
Array make_stored(DType dtype, Dims shape, std::shared_ptr<Storage> storage, Layout layout,
                  bool writable = true);
// Same storage, other dtype, shape or layout; keeps `base`'s writability unless it broadcasts.
// `base` must be stored.
Array make_view(const Array& base, Dims shape, Layout layout);
Array make_view(const Array& base, DType dtype, Dims shape, Layout layout);

inline bool is_stored(const Array& array) {
  return array.state().ready.load(std::memory_order_acquire);
}
// Of stored arrays.
inline const Dims& strides_of(const Array& array) { return array.state().layout.strides; }
// Address of the first element.
void* pointer_of(const Array& array);
bool is_c_contiguous(const Array& array);
bool is_f_contiguous(const Array& array);
// The two stored arrays may have an element in common (exact for ranges, conservative within).
bool may_overlap(const Array& a, const Array& b);
// Same storage, offset, shape, strides and item size: element i of one is element i of the other.
bool is_same_view(const Array& a, const Array& b);

}  // namespace cupola
