#pragma once
// The handle of an n-dimensional array. Copying the handle shares the array, as a Python name
// does. Methods are in array_methods.h, functions and operators in cupola/ops/*.h.

#include <memory>

#include "cupola/array_methods.h"
#include "cupola/device.h"
#include "cupola/dims.h"
#include "cupola/dtype.h"

namespace cupola {

struct ArrayState;

class Array : public ArrayMethods<Array> {
 public:
  // No array; only has_value(), assignment and destruction are allowed.
  Array() = default;
  explicit Array(std::shared_ptr<ArrayState> state) : state_(std::move(state)) {}
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  // Another array under this name. Not of temporaries, where it would do nothing: elements are
  // written by a.T()[Ellipsis{}] = b.
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  ~Array() = default;

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

  // Computed into the memory of the array, as NumPy does: it keeps its dtype and shape.
  // CastingError where "same_kind" does not allow that.
  Array& operator+=(const Operand& b);
  Array& operator-=(const Operand& b);
  Array& operator*=(const Operand& b);
  Array& operator/=(const Operand& b);
  Array& operator%=(const Operand& b);
  Array& operator&=(const Operand& b);
  Array& operator|=(const Operand& b);
  Array& operator^=(const Operand& b);
  Array& operator<<=(const Operand& b);
  Array& operator>>=(const Operand& b);

  ArrayState& state() const { return *state_; }
  const std::shared_ptr<ArrayState>& handle() const { return state_; }
  // The same handle, not equal elements.
  friend bool is_same(const Array& a, const Array& b) { return a.state_ == b.state_; }

 private:
  std::shared_ptr<ArrayState> state_;
};

namespace detail {

// Writes the only element, as `dtype`, to `element`.
void read_element(const Array& array, DType dtype, void* element);
// The array as `dtype`, where "same_kind" allows it.
Array of_same_kind(const Array& array, DType dtype);
// Writes all elements, of the array's dtype.
void read_elements(const Array& array, void* elements);
void* host_elements(const Array& array, DType dtype, bool written);
const Array& resolved(const Array& array);
Array resolved(const Selection& selection);

}  // namespace detail

template <typename Self>
template <typename T>
T ArrayMethods<Self>::item() const {
  T value;
  detail::read_element(detail::resolved(static_cast<const Self&>(*this)), dtype_of<T>, &value);
  return value;
}

template <typename Self>
template <typename T>
std::vector<T> ArrayMethods<Self>::to_vector() const {
  const Array array =
      detail::of_same_kind(detail::resolved(static_cast<const Self&>(*this)), dtype_of<T>);
  const auto count = static_cast<std::size_t>(array.size());
  if constexpr (std::is_same_v<T, bool>) {  // of which a vector has no memory
    const auto elements = std::make_unique<bool[]>(count);
    detail::read_elements(array, elements.get());
    return std::vector<bool>(elements.get(), elements.get() + count);
  } else {
    std::vector<T> elements(count);
    detail::read_elements(array, elements.data());
    return elements;
  }
}

template <typename Self>
template <typename T>
std::span<T> ArrayMethods<Self>::span() const {
  using Element = std::remove_const_t<T>;
  const Array& array = detail::resolved(static_cast<const Self&>(*this));
  void* elements = detail::host_elements(array, dtype_of<Element>, !std::is_const_v<T>);
  return {static_cast<T*>(elements), static_cast<std::size_t>(array.size())};
}

}  // namespace cupola

// What the methods take and return.
#include "cupola/index_terms.h"
#include "cupola/operand.h"
