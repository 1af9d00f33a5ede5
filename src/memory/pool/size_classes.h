#pragma once
// The sizes that small blocks have: multiples of 512 bytes up to 8 KiB, then eight sizes for each
// doubling, up to 1 MiB. At most an eighth of a block is lost. Larger blocks are whole pages: where
// one array begins a little before another one in its page, processors take loads of the one for
// loads of what was just stored to the other, and wait.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace cupola {

inline constexpr std::size_t kBlockStep = 512;
inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kLargestSmall = std::size_t{1} << 20;
inline constexpr std::size_t kSizeClasses = 72;

// `bytes` from 1 to kLargestSmall.
constexpr std::size_t size_class(std::size_t bytes) {
  if (bytes <= 16 * kBlockStep) return (bytes - 1) / kBlockStep;
  const auto top = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;  // 13 or more
  return 16 + (top - 13) * 8 + (((bytes - 1) >> (top - 3)) & 7);
}

constexpr std::size_t class_bytes(std::size_t size_class) {
  if (size_class < 16) return (size_class + 1) * kBlockStep;
  return (size_class % 8 + 9) << (10 + (size_class - 16) / 8);
}

// What a request takes up. Of what no memory can hold, more than any memory has.
constexpr std::size_t block_bytes(std::size_t bytes) {
  if (bytes <= kLargestSmall) return class_bytes(size_class(bytes));
  if (bytes > SIZE_MAX - kPage) return SIZE_MAX;
  return (bytes + kPage - 1) / kPage * kPage;
}

static_assert(class_bytes(kSizeClasses - 1) == kLargestSmall);
static_assert(size_class(kLargestSmall) == kSizeClasses - 1);

}  // namespace cupola
