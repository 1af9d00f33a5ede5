#include "exec/host/host_copy.h"

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "base/copy_apart.h"
#include "exec/evaluation/deferral.h"
#include "exec/host/host_access.h"
#include "exec/host/host_element.h"
#include "exec/host/host_map.h"

namespace cupola {

namespace {

void copy_line(char* target, std::int64_t target_stride, const char* source,
               std::int64_t source_stride, std::int64_t count, std::size_t item) {
  if (count == 0) return;  // memory for nothing may be no memory
  const auto step = static_cast<std::int64_t>(item);
  if (target_stride == step && source_stride == step) {
    copy_apart(target, source, static_cast<std::size_t>(count) * item);
    return;
  }
  dispatch_item_size(item, [&](auto bytes) {
    if (target_stride == step && source_stride == 0) {
      std::array<char, bytes> value;  // not memory that the stores may change: they are wide then
      std::memcpy(value.data(), source, bytes);
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(target + i * std::int64_t{bytes}, value.data(), bytes);
      return;
    }
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

bool copy_at_once(const Array& value, const Array& target) {
  HostAccess access;
  if (!access.may_read(value) || !access.may_write(target)) return false;
  const Dims strides = broadcast_strides(value.shape(), strides_of(value), target.shape());
  if (!may_overlap(value, target)) {
    copy_elements(target, pointer_of(value), strides);
    return true;
  }
  const std::size_t item = item_size(target.dtype());
  std::vector<char> kept(static_cast<std::size_t>(target.size()) * item);
  const Dims own = byte_strides(c_strides(target.shape()), target.dtype());
  copy_strided(kept.data(), own, static_cast<const char*>(pointer_of(value)),
               byte_strides(strides, value.dtype()), target.shape(), item);
  copy_elements(target, kept.data(), c_strides(target.shape()));
  return true;
}

// One by one in the worst case.
bool is_short_copy(const Array& array) {
  return array.size() <= 2 * kMaxOnHost && array.nbytes() <= kMaxBytesAtOnce;
}

}  // namespace

void copy_strided(char* target, const Dims& target_strides, const char* source,
                  const Dims& source_strides, const Dims& shape, std::size_t item) {
  copy_strided(target, Strides(target_strides), source, Strides(source_strides), Strides(shape),
               item);
}

void copy_elements(const Array& target, const void* source, const Dims& strides) {
  const DType dtype = target.dtype();
  copy_strided(static_cast<char*>(pointer_of(target)), byte_strides(strides_of(target), dtype),
               static_cast<const char*>(source), byte_strides(strides, dtype), target.shape(),
               item_size(dtype));
}

bool fill_at_once(const Array& target, const Scalar& value) {
  if (!is_short_copy(target) || is_work_watched()) return false;
  HostAccess access;
  if (!access.may_write(target)) return false;
  copy_elements(target, value.data(), Dims(target.shape().size(), 0));
  return true;
}

bool write_at_once(const Array& value, const Array& target) {
  if (value.dtype() != target.dtype() || !is_short_copy(target) || is_work_watched()) return false;
  if (!is_stored(value)) {
    if (const std::optional<Scalar> number = known_element(value)) {
      return fill_at_once(target, *number);
    }
    if (!is_laid_out(value)) {
      return value.shape() == target.shape() && compute_on_host(value, target);
    }
    // Somebody may have it, who finds it stored afterwards.
    if (!compute_on_host(value)) return false;
  }
  return copy_at_once(value, target);
}

bool write_on_host(const Write& write) {
  const bool is_simple =
      write.store == StoreKind::plain && !write.offset.has_value() && !write.predicate.has_value();
  if (!is_simple || !is_short_copy(write.target)) return false;
  if (write_at_once(write.value, write.target)) return true;
  const bool is_value_there = is_stored(write.value) || known_element(write.value);
  if (!is_value_there || write.target.state().storage->pending_readers == 0) return false;
  compute_readers(write.target);
  return write_at_once(write.value, write.target);
}

bool read_at_once(const Array& array, void* target, const Dims& target_strides) {
  if (array.size() == 0 || !is_short_copy(array)) return false;
  if (!host_shares_memory(array.device()) || is_work_watched()) return false;
  if (!current_stream(array.device())->is_idle()) return false;  // the target is in its order
  if (!is_stored(array) && !compute_on_host(array)) return false;
  HostAccess access;
  if (!access.may_read(array)) return false;
  copy_strided(
      static_cast<char*>(target), target_strides, static_cast<const char*>(pointer_of(array)),
      byte_strides(strides_of(array), array.dtype()), array.shape(), item_size(array.dtype()));
  return true;
}

}  // namespace cupola
