#pragma once
// The true elements of short masks in memory, eight bytes at a time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cupola {

namespace internal {

static_assert(std::endian::native == std::endian::little);
constexpr std::uint64_t kTopBits = 0x8080808080808080;

// The top bit of each byte that is not 0: true elements of a view of integers are not all 1.
inline std::uint64_t true_bytes(const unsigned char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return (((word & ~kTopBits) + ~kTopBits) | word) & kTopBits;
}

}  // namespace internal

struct Mask {
  const unsigned char* bytes;
  std::size_t size;
};

inline std::int64_t count_true(const Mask& mask) {
  std::int64_t count = 0;
  std::size_t i = 0;
  for (; i + 8 <= mask.size; i += 8) count += std::popcount(internal::true_bytes(mask.bytes + i));
  for (; i < mask.size; ++i) count += mask.bytes[i] != 0;
  return count;
}

// Calls function(i) for the number of each true element, in order.
template <typename Function>
void for_each_true(const Mask& mask, const Function& function) {
  std::size_t i = 0;
  for (; i + 8 <= mask.size; i += 8) {
    std::uint64_t rest = internal::true_bytes(mask.bytes + i);
    for (; rest != 0; rest &= rest - 1) {
      function(i + static_cast<std::size_t>(std::countr_zero(rest)) / 8);
    }
  }
  for (; i < mask.size; ++i) {
    if (mask.bytes[i] != 0) function(i);
  }
}

}  // namespace cupola
