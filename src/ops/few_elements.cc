#include "ops/few_elements.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>

#include "base/copy_apart.h"
#include "core/array_state.h"
#include "driver/registry.h"
#include "exec/evaluation/allocation.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_access.h"
#include "exec/host/host_copy.h"
#include "exec/host/host_element.h"
#include "exec/host/host_result.h"
#include "ops/operands.h"
#include "ops/support.h"
#include "ops/true_elements.h"

namespace cupola {

namespace {

bool may_look(const Array& array) {
  return !is_work_watched() && array.size() > 0 && !array.device().is_set() &&
         host_shares_memory(array.device());
}

template <typename T>
constexpr bool is_ordered =
    !std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>;

// In the order of sort: NaN stands behind the numbers.
template <typename T>
bool is_before(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else if constexpr (std::is_floating_point_v<T>) {
    return a < b || (std::isnan(b) && !std::isnan(a));
  } else {
    return is_before(static_cast<float>(a), static_cast<float>(b));
  }
}

// Elements of a stored array of one dimension.
template <typename T>
class Line {
 public:
  explicit Line(const Array& array)
      : first_(static_cast<const T*>(pointer_of(array))), stride_(strides_of(array)[0]) {}
  T operator[](std::int64_t i) const { return first_[i * stride_]; }

 private:
  const T* first_;
  std::int64_t stride_;
};

// How many elements stand before the value, or before what is behind it.
template <typename T>
std::int64_t place_of(const Line<T>& sorted, std::int64_t count, T value, SearchSide side) {
  std::int64_t begin = 0;
  while (count > 0) {
    const std::int64_t half = count / 2;
    const T found = sorted[begin + half];
    const bool is_behind =
        side == SearchSide::left ? is_before(found, value) : !is_before(value, found);
    begin = is_behind ? begin + half + 1 : begin;
    count = is_behind ? count - half - 1 : half;
  }
  return begin;
}

template <typename T>
std::span<const T> elements_of(const Array& array) {
  return {static_cast<const T*>(pointer_of(array)), static_cast<std::size_t>(array.size())};
}

// The largest of integers, if none is negative and it is small.
template <typename T>
std::optional<std::int64_t> largest_of(std::span<const T> numbers) {
  // As unsigned numbers, negative ones are the largest.
  std::uint64_t largest = 0;
  for (const T number : numbers) largest = std::max(largest, static_cast<std::uint64_t>(number));
  if (largest >= static_cast<std::uint64_t>(kMaxOnHost)) return std::nullopt;
  return static_cast<std::int64_t>(largest);
}

}  // namespace

Array full_at_call(const Dims& shape, const Scalar& value, DeviceOption device, char order) {
  if (order != 'C') return {};
  Array result = array_at_call(value.dtype(), shape, device_or_current(device));
  if (result.has_value()) copy_elements(result, value.data(), Dims(shape.size(), 0));
  return result;
}

Array astype_at_call(const Array& a, DType dtype, char order, bool copy_always) {
  if (!is_stored(a) || (a.dtype() == dtype && !copy_always)) return {};
  const bool is_row_major = order == 'C' || (order != 'F' && is_c_contiguous(a)) ||
                            ordered_strides(a, order) == c_strides(a.shape());
  return is_row_major ? cast_at_call(a, dtype) : Array();
}

namespace {

// Of two arrays that are joined along `axis`.
bool may_join(const Array& a, const Array& b, std::size_t axis) {
  if (a.dtype() != b.dtype() || a.device() != b.device() || a.rank() != b.rank()) return false;
  for (std::size_t d = 0; d < a.shape().size(); ++d) {
    if (d != axis && a.shape()[d] != b.shape()[d]) return false;
  }
  return is_stored(b) && is_c_contiguous(b);
}

}  // namespace

Array concatenate_at_call(std::span<const Array> arrays, std::int64_t axis) {
  const int rank = arrays.empty() ? 0 : arrays[0].rank();
  if (axis < -rank || axis >= rank) return {};
  const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  Dims shape = arrays[0].shape();
  shape[along] = 0;
  HostAccess access;
  for (const Array& array : arrays) {
    if (!may_join(arrays[0], array, along) || !access.may_read(array)) return {};
    shape[along] += array.shape()[along];
    if (shape[along] > kMaxOnHost) return {};
  }
  const Array result = array_at_call(arrays[0].dtype(), shape, arrays[0].device());
  if (!result.has_value()) return {};
  const auto rows = static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.begin() + along, std::int64_t{1}, std::multiplies()));
  const auto row_bytes = [&](const Array& array) {
    return static_cast<std::size_t>(array.nbytes()) / rows;
  };
  auto* target = static_cast<char*>(pointer_of(result));
  for (const Array& array : arrays) {
    if (array.size() == 0) continue;
    const std::size_t bytes = row_bytes(array), step = row_bytes(result);
    const auto* const source = static_cast<const char*>(pointer_of(array));
    for (std::size_t i = 0; i < rows; ++i) copy_apart(target + i * step, source + i * bytes, bytes);
    target += bytes;
  }
  return result;
}

std::vector<Array> nonzero_on_host(const Array& a, const Dims& shape) {
  if (a.size() > kMaxIndexedOnHost || a.rank() == 0 || !is_there(a) || !is_c_contiguous(a)) {
    return {};
  }
  const HostLoop truth = driver(a.device()).host_cast(a.dtype(), DType::bool_);
  HostAccess access;
  if (truth == nullptr || !access.may_read(a)) return {};
  const auto size = static_cast<std::size_t>(a.size());
  const auto truths = std::make_unique_for_overwrite<unsigned char[]>(size);
  const void* const elements = pointer_of(a);
  truth(&elements, truths.get(), a.size());
  const Mask is_true{truths.get(), size};
  const std::int64_t count = count_true(is_true);
  std::vector<Array> result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    result.push_back(count > 0 ? array_at_call(DType::int64, {count}, a.device())
                               : allocate_array(DType::int64, {0}, a.device()));
    if (!result.back().has_value()) return {};
  }
  std::int64_t inner = 1;  // elements from an index to the next one
  for (std::size_t d = shape.size(); d-- > 0; inner *= shape[d]) {
    auto* index = static_cast<std::int64_t*>(pointer_of(result[d]));
    if (shape.size() == 1) {
      for_each_true(is_true, [&](std::size_t i) { *index++ = static_cast<std::int64_t>(i); });
      continue;
    }
    for_each_true(is_true, [&](std::size_t i) {
      *index++ = static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(inner) %
                 static_cast<std::uint32_t>(shape[d]);
    });
  }
  return result;
}

std::optional<Scalar> known_number(const Array& array) {
  return array.rank() == 0 && !is_work_watched() ? known_element(array) : std::nullopt;
}

bool is_there(const Array& array) {
  if (array.size() <= kMaxOnHost) evaluate(array);
  return is_stored(array);
}

Array search_on_host(const Array& sorted, const Array& values, SearchSide side) {
  if (!may_look(sorted) || sorted.dtype() != values.dtype() || sorted.device() != values.device())
    return {};
  if (values.size() > kMaxOnHost || !is_there(values) || !is_stored(sorted)) return {};
  if (!is_c_contiguous(values)) return {};
  HostAccess access;
  if (!access.may_read(sorted) || !access.may_read(values)) return {};
  const Array places = find_array(DType::int64, values.shape(), values.device());
  if (!places.has_value() || !access.may_write(places)) return {};
  auto* const result = static_cast<std::int64_t*>(pointer_of(places));
  return dispatch_dtype(sorted.dtype(), [&](auto tag) -> Array {
    using T = typename decltype(tag)::type;
    if constexpr (is_ordered<T>) {
      const Line<T> line(sorted);
      const std::span<const T> wanted = elements_of<T>(values);
      std::transform(wanted.begin(), wanted.end(), result,
                     [&](const T& value) { return place_of<T>(line, sorted.size(), value, side); });
      return places;
    } else {
      return {};
    }
  });
}

Array count_on_host(const Array& numbers, std::int64_t length) {
  if (!may_look(numbers) || numbers.rank() != 1 || numbers.size() > kMaxOnHost) return {};
  if (length > kMaxOnHost || !is_there(numbers) || !is_c_contiguous(numbers)) return {};
  HostAccess access;
  if (!access.may_read(numbers)) return {};
  return dispatch_dtype(numbers.dtype(), [&](auto tag) -> Array {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> elements = elements_of<T>(numbers);
      const std::optional<std::int64_t> largest = largest_of(elements);
      if (!largest) return {};
      const std::int64_t end = std::max(*largest + 1, length);
      const Array counts = find_array(DType::int64, {end}, numbers.device());
      if (!counts.has_value() || !access.may_write(counts)) return {};
      auto* const result = static_cast<std::int64_t*>(pointer_of(counts));
      std::fill_n(result, end, std::int64_t{0});
      for (const T number : elements) ++result[static_cast<std::size_t>(number)];
      return counts;
    } else {
      return {};
    }
  });
}

}  // namespace cupola
