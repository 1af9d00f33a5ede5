// Elements that go to and come from the host's own types.

#include <fmt/format.h>

#include <utility>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/elementwise.h"
#include "cupola/ops/nested_numbers.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "ops/support.h"

namespace cupola {

namespace {

bool fits(const Scalar& integer, DType dtype) {
  return dispatch_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (integer.dtype() == DType::uint64) return std::in_range<T>(integer.get<std::uint64_t>());
      return std::in_range<T>(integer.cast(DType::int64).get<std::int64_t>());
    }
    return true;
  });
}

[[noreturn]] void throw_ragged(const Dims& shape) {
  throw ValueError(
      fmt::format("the lists of an array must have one length in each dimension: those after the "
                  "first differ from its shape {}",
                  to_string(shape)));
}

Dims shape_of(const NestedNumbers& numbers) {
  Dims shape;
  for (const NestedNumbers* list = &numbers; !list->number(); list = &list->list().front()) {
    if (shape.rank() == kMaxRank) {
      throw ValueError(fmt::format("lists are nested deeper than {} dimensions", kMaxRank));
    }
    shape.push_back(static_cast<std::int64_t>(list->list().size()));
    if (list->list().empty()) break;
  }
  return shape;
}

void collect(const NestedNumbers& numbers, const Dims& shape, std::size_t depth,
             std::vector<Scalar>& all) {
  if (depth == shape.size()) {
    if (!numbers.number()) throw_ragged(shape);
    all.push_back(*numbers.number());
    return;
  }
  if (numbers.number() || static_cast<std::int64_t>(numbers.list().size()) != shape[depth]) {
    throw_ragged(shape);
  }
  for (const NestedNumbers& part : numbers.list()) collect(part, shape, depth + 1, all);
}

DType common_dtype(const std::vector<Scalar>& numbers) {
  if (numbers.empty()) return DType::float64;
  DType dtype = numbers.front().dtype();
  for (const Scalar& number : numbers) dtype = promote_types(dtype, number.dtype());
  return dtype;
}

}  // namespace

Array array(const NestedNumbers& numbers, std::optional<DType> dtype,
            const std::optional<Device>& device) {
  const Dims shape = shape_of(numbers);
  std::vector<Scalar> all;
  collect(numbers, shape, 0, all);
  const DType type = dtype.value_or(common_dtype(all));
  const std::size_t item = item_size(type);
  std::vector<std::byte> bytes(all.size() * item);
  for (std::size_t i = 0; i < all.size(); ++i) {
    check_number(all[i], type);
    std::memcpy(bytes.data() + i * item, element_value(all[i], type).data(), item);
  }
  return from_host(bytes.data(), type, shape, byte_strides(c_strides(shape), type),
                   device_or_current(device));
}

namespace detail {

Array from_bytes(std::span<const std::byte> bytes, DType dtype,
                 const std::optional<Device>& device) {
  const std::size_t item = item_size(dtype);
  return from_host(bytes.data(), dtype, Dims{static_cast<std::int64_t>(bytes.size() / item)},
                   Dims{static_cast<std::int64_t>(item)}, device_or_current(device));
}

void read_element(const Array& array, DType dtype, void* element) {
  const Scalar found = cupola::item(array);
  const bool whole = is_integer(found.dtype()) && is_integer(dtype);
  if (!whole && !can_cast(found.dtype(), dtype, Casting::same_kind)) {
    throw CastingError(
        fmt::format("the element of a {} array is not read as {}: use astype() first",
                    name_of(found.dtype()), name_of(dtype)));
  }
  if (whole && !fits(found, dtype)) {
    throw OverflowError(fmt::format("{} does not fit {}", found.to_string(), name_of(dtype)));
  }
  std::memcpy(element, found.cast(dtype).data(), item_size(dtype));
}

Array of_same_kind(const Array& array, DType dtype) {
  return astype(array, dtype, Casting::same_kind, 'K', false);
}

void read_elements(const Array& array, void* elements) {
  to_host(array, elements, byte_strides(c_strides(array.shape()), array.dtype()));
}

void* host_elements(const Array& array, DType dtype, bool written) {
  if (!driver(array.device()).traits().host_shares_memory) {
    throw DeviceError(fmt::format("the host has no address of elements on {}: use to_vector()",
                                  array.device().to_string()));
  }
  if (array.dtype() != dtype) {
    throw TypeError(fmt::format("a span of {} cannot show an array of {}: use astype() first",
                                name_of(dtype), name_of(array.dtype())));
  }
  if (written && !array.writable()) {
    throw ValueError("the array is read-only: ask for a span of const elements");
  }
  if (!is_c_contiguous(evaluate(array))) {
    throw ValueError(
        fmt::format("an array of shape {} is not row-major in memory: use copy() first",
                    to_string(array.shape())));
  }
  void* elements = data_pointer(array);
  wait(array);
  return elements;
}

}  // namespace detail

}  // namespace cupola
