#pragma once
// Complex numbers as keys: the key of the real part above that of the imaginary one. Keys of plain
// rows are in the order of sorting. Others have a NaN, whose elements stand behind all numbers, or
// zeros of both signs, of which the real ones leave the order to the imaginary parts.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "platforms/cpu/kernels/sort_tables.h"

namespace cupola::cpu {
namespace {

// `Part`: how the numbers of each part become keys.
template <typename Part>
struct ComplexLoops {
  using Bits = typename Part::Bits;
  static_assert(std::is_same_v<Bits, typename Part::Key>);

  struct Key {  // one integer of both, the real part in its upper half
    Bits imag, real;
  };

  static void encode(void* keys, const void* values, std::int64_t count) {
    auto* const to = static_cast<Key*>(keys);
    const auto* const from = static_cast<const Bits*>(values);
    for (std::int64_t i = 0; i < count; ++i) {
      to[i] = {Part::key(from[2 * i + 1]), Part::key(from[2 * i])};
    }
  }
  static void decode(void* values, const void* keys, std::int64_t count) {
    auto* const to = static_cast<Bits*>(values);
    const auto* const from = static_cast<const Key*>(keys);
    for (std::int64_t i = 0; i < count; ++i) {
      const Key key = from[i];
      to[2 * i] = Part::bits(key.real);
      to[2 * i + 1] = Part::bits(key.imag);
    }
  }

  static void sort(void* keys, std::int64_t count) {
    if (count < 2) return;
    auto* const words = static_cast<std::uint64_t*>(keys);
    if constexpr (sizeof(Key) == 8) {
      vqsort(words, static_cast<std::size_t>(count));
    } else {
      vqsort_pairs(words, static_cast<std::size_t>(count));
    }
  }

  static bool has_ties(const void* keys, std::int64_t count) {
    const auto* const from = static_cast<const Bits*>(keys);
    Bits negative[2] = {}, positive[2] = {}, largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      for (int part = 0; part < 2; ++part) {
        const Bits key = from[2 * i + part];
        negative[part] |= key == Part::kNegativeZero ? 1 : 0;
        positive[part] |= key == Part::kZero ? 1 : 0;
        largest = std::max(largest, key);
      }
    }
    return ((negative[0] & positive[0]) | (negative[1] & positive[1])) != 0 ||
           largest > Part::kLargest;
  }

  static void sort_stably(void* keys, void* spare, std::int64_t count) {
    auto* const all = static_cast<Key*>(keys);
    auto* const sorted = static_cast<Key*>(spare);
    if constexpr (sizeof(Key) == 8) {
      // Pairs of a place among all elements and the number of one, which makes places different.
      std::vector<std::uint64_t> pairs(2 * static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) {
        pairs[2 * static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(i);
        pairs[2 * static_cast<std::size_t>(i) + 1] = place(all[i]);
      }
      if (count > 1) vqsort_pairs(pairs.data(), static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) {
        sorted[i] = all[pairs[2 * static_cast<std::size_t>(i)]];
      }
      std::copy_n(sorted, count, all);
    } else {
      std::stable_sort(all, all + count, comes_before);
    }
  }

  static constexpr SortFunctions kFunctions{.key_bytes = sizeof(Key),
                                            .encode = encode,
                                            .decode = decode,
                                            .sort = sort,
                                            .has_ties = has_ties,
                                            .sort_stably = sort_stably};

 private:
  static bool is_nan(Bits key) { return key > Part::kLargest; }
  // Of zeros of either sign the same.
  static Bits number(Bits key) { return key == Part::kNegativeZero ? Part::kZero : key; }
  // Numbers; with a NaN as the imaginary part, as the real one, and as both.
  static int rank(Key key) { return (is_nan(key.real) ? 2 : 0) + (is_nan(key.imag) ? 1 : 0); }

  // In the order of sorting, the same for equal elements: those with a NaN are behind the largest
  // key of a real part.
  static std::uint64_t place(Key key) {
    constexpr std::uint64_t kBehind = 0xFFFF'FFF0;
    static_assert(Part::kLargest < 0xFFFF'FFF0 || sizeof(Bits) == 8);
    const int behind = rank(key);
    if (behind == 0) return std::uint64_t{number(key.real)} << 32 | number(key.imag);
    const std::uint64_t by = behind == 1 ? number(key.real) : behind == 2 ? number(key.imag) : 0;
    return (kBehind + static_cast<unsigned>(behind)) << 32 | by;
  }

  static bool comes_before(const Key& a, const Key& b) {
    const int of_a = rank(a), of_b = rank(b);
    if (of_a != of_b) return of_a < of_b;
    const Bits real_a = number(a.real), real_b = number(b.real);
    if (!is_nan(a.real) && real_a != real_b) return real_a < real_b;
    return !is_nan(a.imag) && number(a.imag) < number(b.imag);
  }
};

}  // namespace
}  // namespace cupola::cpu
