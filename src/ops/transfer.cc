#include "cupola/transfer.h"

#include <cstring>

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/ops/elementwise.h"
#include "cupola/runtime.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_copy.h"
#include "exec/transfers/late_checks.h"
#include "exec/transfers/scalar_read.h"
#include "exec/transfers/transfers.h"
#include "memory/buffer.h"
#include "ops/indexing/known_range.h"
#include "runtime/completion.h"

namespace cupola {

namespace {

// Into a stored, contiguous array.
void copy_in(const Array& array, const void* data, const Dims& strides, char order,
             const TransferOptions& options) {
  if (array.size() == 0) return;
  const DType dtype = array.dtype();
  if (is_packed(array.shape(), strides, dtype, order)) {
    return copy_bytes_from_host(array, data, options);
  }
  // Packed, the value has been taken already.
  const auto packed = std::make_shared<std::vector<char>>(static_cast<std::size_t>(array.nbytes()));
  copy_strided(packed->data(), byte_strides(strides_of(array), dtype),
               static_cast<const char*>(data), strides, array.shape(), item_size(dtype));
  copy_bytes_from_host(array, packed->data(), {SourceMode::keepalive, options.blocking, packed});
}

}  // namespace

Array from_host(const void* data, DType dtype, const Dims& shape, const Dims& strides,
                const Device& device, char order, const TransferOptions& options) {
  const Array array = allocate_array(dtype, shape, device, order);
  copy_in(array, data, strides, order, options);
  const bool is_snapshot = options.source == SourceMode::snapshot;
  if (is_snapshot && is_packed(shape, strides, dtype, order)) note_range_of(array, data);
  return array;
}

void set_from_host(const Array& array, const void* data, const Dims& strides,
                   const TransferOptions& options) {
  evaluate(array);
  if (!array.writable()) throw ValueError("assignment destination is read-only");
  const bool c = is_c_contiguous(array);
  if (c || is_f_contiguous(array)) return copy_in(array, data, strides, c ? 'C' : 'F', options);
  assign(array,
         from_host(data, array.dtype(), array.shape(), strides, array.device(), 'C', options));
}

namespace {

// A stored array with elements.
void copy_out(const Array& array, void* data, const Dims& strides, const TransferOptions& options) {
  const bool is_f = !is_c_contiguous(array) && is_f_contiguous(array);
  const Array dense = is_f || is_c_contiguous(array) ? array : copy(array, 'C');
  if (is_packed(array.shape(), strides, array.dtype(), is_f ? 'F' : 'C')) {
    return copy_bytes_to_host(data, dense, options);
  }
  const Dims packed_strides = byte_strides(strides_of(dense), array.dtype());
  const auto bytes = static_cast<std::size_t>(array.nbytes());
  const auto packed = std::make_shared<std::vector<char>>(bytes);
  const auto unpack = [=, shape = array.shape(), item = item_size(array.dtype())] {
    copy_strided(static_cast<char*>(data), strides, packed->data(), packed_strides, shape, item);
  };
  copy_bytes_to_host(packed->data(), dense, {SourceMode::snapshot, options.blocking, packed});
  if (options.blocking.value_or(true)) return unpack();
  const std::shared_ptr<StreamState> stream = current_stream(array.device());
  stream->driver().run_on_host(unpack, stream->handle());
  stream->advance();
  if (options.owner) retire(stream, {[owner = options.owner] {}, bytes});
}

}  // namespace

void to_host(const Array& array, void* data, const Dims& strides, const TransferOptions& options) {
  if (!read_at_once(array, data, strides)) {
    evaluate(array);
    if (array.size() == 0) return;
    copy_out(array, data, strides, options);
  }
  if (options.blocking.value_or(true)) throw_late_errors(array);
}

Scalar item(const Array& array) {
  if (array.size() != 1) {
    throw ValueError(
        fmt::format("can only convert an array of size 1 to a scalar, not one of shape {}",
                    to_string(array.shape())));
  }
  if (const std::optional<Scalar> known = observe_element(array)) return *known;
  return read_scalar(evaluate(array));
}

Array to_device(const Array& array, const Device& device) {
  if (array.device() == device) return array;
  check_device(device);
  evaluate(array);
  const bool is_f = !is_c_contiguous(array) && is_f_contiguous(array);
  const Array dense = is_f || is_c_contiguous(array) ? array : copy(array, 'C');
  const Array target = allocate_array(array.dtype(), array.shape(), device, is_f ? 'F' : 'C');
  if (array.device().platform() == device.platform()) {
    copy_bytes_between_devices(target, dense);
    return target;
  }
  std::vector<char> staging(static_cast<std::size_t>(array.nbytes()));
  copy_bytes_to_host(staging.data(), dense);
  copy_bytes_from_host(target, staging.data());
  return target;
}

namespace {

// The elements must lie in one range of addresses that exist.
void check_foreign(const void* data, DType dtype, const Dims& shape, const Dims& strides) {
  if (strides.size() != shape.size()) {
    throw ValueError(fmt::format("there must be a stride for each dimension of {}, not {}",
                                 to_string(shape), to_string(strides)));
  }
  if (element_count(shape) == 0) return;
  if (!data) {
    throw ValueError(fmt::format("a null pointer has no elements of shape {}", to_string(shape)));
  }
  const Extent extent = touched_extent(shape, {strides, 0});
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  const auto address = reinterpret_cast<std::intptr_t>(data);
  std::int64_t first = 0, last = 0, end = 0;
  const bool overflows = __builtin_mul_overflow(extent.first, item, &first) ||
                         __builtin_add_overflow(address, first, &first) ||
                         __builtin_mul_overflow(extent.last, item, &last) ||
                         __builtin_add_overflow(address, last, &last) ||
                         __builtin_add_overflow(last, item, &end);
  if (!overflows && first > 0) return;
  throw ValueError(
      fmt::format("elements of shape {} and strides {} at address {} do not lie in memory: there "
                  "is none so far "
                  "away",
                  to_string(shape), to_string(strides), data));
}

}  // namespace

Array from_foreign(void* data, DType dtype, const Dims& shape, const Dims& strides,
                   const Device& device, std::shared_ptr<void> owner, bool writable) {
  check_device(device);
  check_foreign(data, dtype, shape, strides);
  Layout layout{strides, 0};
  const Extent extent = touched_extent(shape, layout);
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  layout.offset = -std::min<std::int64_t>(extent.first, 0);
  auto storage = borrow_storage(device, static_cast<char*>(data) - layout.offset * item,
                                static_cast<std::size_t>((layout.offset + extent.last + 1) * item),
                                std::move(owner), writable);
  return make_stored(dtype, shape, std::move(storage), std::move(layout), writable);
}

}  // namespace cupola
