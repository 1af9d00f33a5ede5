#pragma once
// The handle of an n-dimensional array. Copying the handle shares the array, as a Python name
// does; operations are free functions in cupola/ops/*.h.

#include <memory>

#include "cupola/device.h"
#include "cupola/dims.h"
#include "cupola/dtype.h"

namespace cupola {

struct ArrayState;

class Array {
 public:
  // No array; only has_value(), assignment and destruction are allowed.
  Array() = default;
  explicit Array(std::shared_ptr<ArrayState> state) : state_(std::move(state)) {}

  bool has_value() const { return state_ != nullptr; }
  DType dtype() const;
  const Dims& shape() const;
  int rank() const { return shape().rank(); }
  std::int64_t size() const;       // number of elements
  std::int64_t item_size() const;  // bytes
  std::int64_t nbytes() const { return size() * item_size(); }
  const Device& device() const;
  // False for views that broadcast and for memory lent as read-only.
  bool writable() const;

  ArrayState& state() const { return *state_; }
  const std::shared_ptr<ArrayState>& handle() const { return state_; }
  // The same handle, not equal elements.
  friend bool is_same(const Array& a, const Array& b) { return a.state_ == b.state_; }

 private:
  std::shared_ptr<ArrayState> state_;
};

}  // namespace cupola
