#pragma once
// Between host memory and devices.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cupola/array.h"
#include "cupola/scalar.h"

namespace cupola {

// Beside long, which has the same 64 bits.
template <>
struct DTypeOf<long long> : DTypeOf<std::int64_t> {};
template <>
struct DTypeOf<unsigned long long> : DTypeOf<std::uint64_t> {};

namespace detail {
Array from_bytes(std::span<const std::byte> bytes, DType dtype,
                 const std::optional<Device>& device);
}  // namespace detail

// How a copy from host memory may use its source.
enum class SourceMode : std::uint8_t {
  snapshot,   // the value that it has at the call: afterwards it may change, or go
  keepalive,  // read until the copy is done, and its owner is kept until then
  borrow,     // read until the copy is done: the caller leaves it as it is until then
};

struct TransferOptions {
  SourceMode source = SourceMode::snapshot;
  // true: everything is done when the call returns. false: the call does not wait for its stream;
  // a target in host memory holds the elements once the stream's work so far is done. Nothing: from
  // the host, a snapshot has been taken; to the host, everything is done.
  std::optional<bool> blocking = std::nullopt;
  // Of the host memory: kept until the work is done. Not of a snapshot or a loan.
  std::shared_ptr<void> owner = nullptr;
};

// A new row-major array (order 'F': column-major) with the elements at `data`; strides in bytes,
// any sign.
Array from_host(const void* data, DType dtype, const Dims& shape, const Dims& byte_strides,
                const Device& device, char order = 'C', const TransferOptions& options = {});
// Writes the elements at `data`, of the array's dtype and shape, into the array. ValueError where
// it is read-only.
void set_from_host(const Array& array, const void* data, const Dims& byte_strides,
                   const TransferOptions& options = {});
// Writes all elements into host memory of the same dtype.
void to_host(const Array& array, void* data, const Dims& byte_strides,
             const TransferOptions& options = {});
// The element of an array of one element. ValueError for other sizes.
Scalar item(const Array& array);
// `array` itself when it is there already, else a copy on `device` (any platform). dtype kept.
Array to_device(const Array& array, const Device& device);
// An array over memory of others on `device` (host memory for CPU devices); `owner` is kept as long
// as the array and its views. strides in elements. ValueError where no memory holds such elements.
Array from_foreign(void* data, DType dtype, const Dims& shape, const Dims& strides,
                   const Device& device, std::shared_ptr<void> owner, bool writable);

// A new array of rank 1 with the elements of contiguous memory on the host (a span, std::array,
// C array ...), as they are at the call, on `device` or the current one.
template <typename Values>
requires requires(const Values& values) { std::span(values); }
Array from_span(const Values& values, const std::optional<Device>& device = {}) {
  const auto elements = std::as_bytes(std::span(values));
  using Element = typename decltype(std::span(values))::value_type;
  return detail::from_bytes(elements, dtype_of<Element>, device);
}
template <typename T>
Array from_vector(const std::vector<T>& values, const std::optional<Device>& device = {}) {
  if constexpr (std::is_same_v<T, bool>) {  // which has no memory of elements
    const auto elements = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), elements.get());
    return from_span(std::span<const bool>(elements.get(), values.size()), device);
  } else {
    return from_span(values, device);
  }
}

// An array of rank 1 over memory of the host, without a copy, on a CPU device; read-only where T is
// const. `owner` is kept as long as the array and its views; without one the caller keeps the
// memory until the work on the array is done.
template <typename T>
Array array_over(std::span<T> elements, std::shared_ptr<void> owner = nullptr,
                 const Device& device = Device(PlatformKind::cpu, 0)) {
  using Element = std::remove_const_t<T>;
  return from_foreign(const_cast<Element*>(elements.data()), dtype_of<Element>,
                      Dims{static_cast<std::int64_t>(elements.size())}, Dims{1}, device,
                      std::move(owner), !std::is_const_v<T>);
}

}  // namespace cupola
