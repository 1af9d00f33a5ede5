#pragma once
// Between host memory and devices.

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cupola/array.h"
#include "cupola/scalar.h"

namespace cupola {

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

template <typename T>
Array from_vector(const std::vector<T>& values, const Device& device) {
  return from_host(values.data(), dtype_of<T>, Dims{static_cast<std::int64_t>(values.size())},
                   Dims{static_cast<std::int64_t>(sizeof(T))}, device);
}

}  // namespace cupola
