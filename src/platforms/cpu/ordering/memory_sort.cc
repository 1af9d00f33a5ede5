#include "platforms/cpu/ordering/memory_sort.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "base/mutant.h"
#include "platforms/cpu/kernels/sort_tables.h"

namespace cupola::cpu {
namespace {

using Bytes = std::unique_ptr<std::byte[]>;

Bytes bytes_of(std::int64_t count, std::size_t item) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(count) * item);
}

// Numbers that are equal, and NaNs, with the same bits.
template <typename T>
void make_alike(std::span<T> values) {
  for (T& value : values) {
    value = std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value + T(0);
  }
}
void make_alike(std::span<std::uint16_t> halves, std::uint16_t infinity) {
  for (std::uint16_t& half : halves) {
    const auto size = static_cast<std::uint16_t>(half & 0x7FFF);
    if (size == 0 || size > infinity)
      half = size == 0 ? 0 : static_cast<std::uint16_t>(infinity + 1);
  }
}

template <typename T>
std::span<T> as(std::byte* values, std::int64_t count) {
  return {reinterpret_cast<T*>(values), static_cast<std::size_t>(count)};
}

void make_alike(DType dtype, std::byte* values, std::int64_t count) {
  switch (dtype) {
    case DType::float32:
      return make_alike(as<float>(values, count));
    case DType::float64:
      return make_alike(as<double>(values, count));
    case DType::float16:
      return make_alike(as<std::uint16_t>(values, count), 0x7C00);
    case DType::bfloat16:
      return make_alike(as<std::uint16_t>(values, count), 0x7F80);
    default:
      return;  // integers have no ties of different bits
  }
}

template <typename Key>
void order_keys(const std::byte* bytes, std::int64_t count, std::int64_t* places) {
  const auto* const keys = reinterpret_cast<const Key*>(bytes);
  std::iota(places, places + count, std::int64_t{0});
  std::stable_sort(places, places + count,
                   [keys](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
}

}  // namespace

void sort_in_memory(UfuncId, DType dtype, const void* values, std::int64_t count, void* result) {
  const SortFunctions& functions = sort_functions(dtype);
  const Bytes keys = bytes_of(count, functions.key_bytes);
  functions.encode(keys.get(), values, count);
  if (functions.has_ties(keys.get(), count) && !CUPOLA_MUTANT(unordered_ties)) {
    const Bytes spare = bytes_of(count, functions.key_bytes);
    functions.sort_stably(keys.get(), spare.get(), count);
  } else {
    functions.sort(keys.get(), count);
  }
  functions.decode(result, keys.get(), count);
}

void argsort_in_memory(UfuncId, DType dtype, const void* values, std::int64_t count, void* places) {
  const SortFunctions& functions = sort_functions(dtype);
  const Bytes keys = bytes_of(count, functions.key_bytes);
  functions.encode(keys.get(), values, count);
  if (functions.has_ties(keys.get(), count)) {
    const auto bytes = static_cast<std::size_t>(count) * item_size(dtype);
    const Bytes alike = bytes_of(count, item_size(dtype));
    std::memcpy(alike.get(), values, bytes);
    make_alike(dtype, alike.get(), count);
    functions.encode(keys.get(), alike.get(), count);
  }
  auto* const found = static_cast<std::int64_t*>(places);
  if (functions.key_bytes == 4) return order_keys<std::uint32_t>(keys.get(), count, found);
  order_keys<std::uint64_t>(keys.get(), count, found);
}

}  // namespace cupola::cpu
