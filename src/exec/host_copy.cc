#include "exec/host_copy.h"

#include <cstring>
#include <span>

#include "exec/host_access.h"
#include "exec/host_element.h"

namespace cupola {

namespace {

void copy_line(char* target, std::int64_t target_stride, const char* source,
               std::int64_t source_stride, std::int64_t count, std::size_t item) {
  const auto step = static_cast<std::int64_t>(item);
  if (target_stride == step && source_stride == step) {
    std::memcpy(target, source, static_cast<std::size_t>(count) * item);
    return;
  }
  dispatch_item_size(item, [&](auto bytes) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(target + i * target_stride, source + i * source_stride, bytes);
    }
  });
}

using Strides = std::span<const std::int64_t>;

void copy_strided(char* target, Strides target_strides, const char* source, Strides source_strides,
                  Strides shape, std::size_t item) {
  if (shape.empty()) {
    std::memcpy(target, source, item);
    return;
  }
  const std::int64_t count = shape[0], far = target_strides[0], step = source_strides[0];
  if (shape.size() == 1) return copy_line(target, far, source, step, count, item);
  for (std::int64_t i = 0; i < count; ++i) {
    copy_strided(target + i * far, target_strides.subspan(1), source + i * step,
                 source_strides.subspan(1), shape.subspan(1), item);
  }
}

bool is_simple(const Write& write) {
  return write.store == StoreKind::plain && !write.offset.has_value() &&
         !write.predicate.has_value() && write.value.dtype() == write.target.dtype() &&
         write.target.size() <= kMostOnHost;
}

void copy_elements(const Array& target, const void* source, const Dims& strides) {
  const DType dtype = target.dtype();
  copy_strided(static_cast<char*>(pointer_of(target)), byte_strides(strides_of(target), dtype),
               static_cast<const char*>(source), byte_strides(strides, dtype), target.shape(),
               item_size(dtype));
}

}  // namespace

void copy_strided(char* target, const Dims& target_strides, const char* source,
                  const Dims& source_strides, const Dims& shape, std::size_t item) {
  copy_strided(target, Strides(target_strides), source, Strides(source_strides), Strides(shape),
               item);
}

bool write_on_host(const Write& write) {
  if (!is_simple(write) || is_watched()) return false;
  const Array& value = write.value;
  const Array& target = write.target;
  HostAccess access;
  if (!is_stored(value)) {
    const std::optional<Scalar> number = known_element(value);
    if (!number || !access.may_write(target)) return false;
    copy_elements(target, number->data(), Dims(target.shape().size(), 0));
    return true;
  }
  if (may_overlap(value, target)) return false;
  if (!access.may_read(value) || !access.may_write(target)) return false;
  copy_elements(target, pointer_of(value),
                broadcast_strides(value.shape(), strides_of(value), target.shape()));
  return true;
}

}  // namespace cupola
