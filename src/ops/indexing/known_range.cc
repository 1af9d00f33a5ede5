#include "ops/indexing/known_range.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "exec/host/host_access.h"
#include "exec/launch/storage_lock.h"

namespace cupola {

KnownRange known_range(const Array& array) {
  if (!is_stored(array)) return {};
  Storage& storage = *array.state().storage;
  if (storage.is_exposed) return {};
  const StorageLock lock(storage);
  KnownRange range = storage.uses.range;
  if (range.dtype != array.dtype()) return {};
  range.is_exact &=
      is_c_contiguous(array) && array.nbytes() == static_cast<std::int64_t>(storage.bytes());
  return range;
}

namespace {

void note(const Array& array, const KnownRange& range) {
  Storage& storage = *array.state().storage;
  const StorageLock lock(storage);
  storage.uses.range = range;
}

}  // namespace

void note_range(const Array& array, std::int64_t least, std::int64_t largest) {
  if (is_stored(array)) note(array, {least, largest, array.dtype()});
}

void note_range_of(const Array& array, const void* elements) {
  if (!is_integer(array.dtype()) || array.size() == 0 || array.size() > kMaxOnHost) return;
  dispatch_integer(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values(static_cast<const T*>(elements),
                                    static_cast<std::size_t>(array.size()));
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    if (std::cmp_greater(*largest, std::numeric_limits<std::int64_t>::max())) return;
    note(array, {static_cast<std::int64_t>(*least), static_cast<std::int64_t>(*largest),
                 array.dtype(), true});
  });
}

}  // namespace cupola
