#pragma once
// The methods of arrays, as of numpy.ndarray: each forwards to the function of the same name in
// cupola/ops or cupola/transfer.h, which says more and has all options. Included by array.h.

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "cupola/axes.h"
#include "cupola/device.h"
#include "cupola/dims.h"
#include "cupola/dtype.h"
#include "cupola/scalar.h"

namespace cupola {

class Array;
class ArrayIterator;
class Index;
class Operand;
class Selection;

// Of Array, and of Selection, the a[...] of an array.
template <typename Self>
class ArrayMethods {
 public:
  // a[2], a[Slice{1, 5}], a[{0, Slice{.step = -1}}], a[mask]; see index_terms.h. Bounds are checked
  // when the selection is used: IndexError.
  Selection operator[](const Index& index) const;
  // The elements along the first axis, a[0], a[1] ...: views. TypeError for rank 0.
  ArrayIterator begin() const;
  std::default_sentinel_t end() const { return {}; }
  // The truth of the only element, which is waited for. ValueError for other sizes.
  explicit operator bool() const;

  // Along all axes, one or some: a.sum(), a.sum(0), a.sum({0, 1}, true). The functions take a
  // dtype, `out`, `where`, an initial value and the correction of var and std as well.
  Array sum(const Axes& axes = {}, bool keepdims = false) const;
  Array prod(const Axes& axes = {}, bool keepdims = false) const;
  Array min(const Axes& axes = {}, bool keepdims = false) const;
  Array max(const Axes& axes = {}, bool keepdims = false) const;
  Array any(const Axes& axes = {}, bool keepdims = false) const;
  Array all(const Axes& axes = {}, bool keepdims = false) const;
  Array mean(const Axes& axes = {}, bool keepdims = false) const;
  Array var(const Axes& axes = {}, bool keepdims = false) const;
  Array std(const Axes& axes = {}, bool keepdims = false) const;
  // NumPy's ddof is none of their arguments.
  Array var(const Axes& axes, int correction) const = delete;
  Array std(const Axes& axes, int correction) const = delete;
  Array argmin(std::optional<std::int64_t> axis = {}, bool keepdims = false) const;
  Array argmax(std::optional<std::int64_t> axis = {}, bool keepdims = false) const;
  Array cumsum(std::optional<std::int64_t> axis = {}, std::optional<DType> dtype = {}) const;
  Array cumprod(std::optional<std::int64_t> axis = {}, std::optional<DType> dtype = {}) const;

  // One extent may be -1.
  Array reshape(const Dims& shape, char order = 'C') const;
  Array ravel(char order = 'C') const;
  Array transpose(const Axes& axes = {}) const;
  Array T() const;
  Array swapaxes(std::int64_t axis1, std::int64_t axis2) const;
  Array squeeze(const Axes& axes = {}) const;
  Array diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) const;
  Array real() const;
  Array imag() const;
  Array conj() const;
  // The same bytes as another dtype.
  Array view(DType dtype) const;

  Array astype(DType dtype, Casting casting = Casting::unsafe_) const;
  Array copy(char order = 'C') const;
  // The array itself where it is there already.
  Array to(const Device& device) const;
  Array take(const Array& indices, std::optional<std::int64_t> axis = {}) const;
  Array clip(const Operand& low, const Operand& high) const;
  Array dot(const Operand& b) const;
  // All elements become `value`.
  void fill(const Operand& value) const;

  // The only element. ValueError for other sizes.
  Scalar item() const;
  // The only element as T. Throws CastingError unless its dtype casts to T as "same_kind" allows
  // (integers to any integer type) and OverflowError for an integer that T cannot hold.
  template <typename T>
  T item() const;
  // All elements, in row-major order, cast to T. Throws CastingError unless "same_kind" allows it.
  template <typename T>
  std::vector<T> to_vector() const;
  // The memory of a row-major array on a CPU device, without a copy: span<const float>(). The span
  // is valid while the array lives. What was asked for so far is computed; wait(array) before the
  // memory is used after later operations on the array. Throws TypeError for another dtype,
  // DeviceError for another platform, ValueError for other layouts, and for a read-only array
  // unless T is const.
  template <typename T>
  std::span<T> span() const;
};

}  // namespace cupola
