// Loops of sorting: see sort_tables.h.

#include "platforms/cpu/kernels/sort_tables.h"

#define CUPOLA_CPU_JOIN_(A, B) A##B
#define CUPOLA_CPU_JOIN(A, B) CUPOLA_CPU_JOIN_(A, B)

#if defined(CUPOLA_CPU_VQSORT) && defined(__AVX2__)

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "platforms/cpu/kernels/vqsort.h"

#include "platforms/cpu/kernels/complex_sort.h"

namespace cupola::cpu {
namespace {

template <typename Bits>
constexpr Bits kTop = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

// How values of one kind become keys.
template <typename Bits_, bool kIsSigned>
struct Integers {
  using Bits = Bits_;
  using Key = Bits;
  static constexpr bool kHasTies = false;
  static Key key(Bits bits) { return kIsSigned ? static_cast<Key>(bits ^ kTop<Bits>) : bits; }
  static Bits bits(Key key) {
    return static_cast<Bits>(kIsSigned ? static_cast<Bits>(key) ^ kTop<Bits> : key);
  }
};
template <bool kIsSigned>
struct ShortIntegers {
  using Bits = std::uint16_t;
  using Key = std::uint32_t;
  static constexpr bool kHasTies = false;
  static Key key(Bits bits) { return Integers<Bits, kIsSigned>::key(bits); }
  static Bits bits(Key key) { return Integers<Bits, kIsSigned>::bits(static_cast<Bits>(key)); }
};
template <typename Bits_, Bits_ kInfinity>
struct Floats {
  using Bits = Bits_;
  using Key = std::conditional_t<sizeof(Bits) == 2, std::uint32_t, Bits>;
  static constexpr bool kHasTies = true;
  // The smallest number, -inf, has the key 0: those of negative NaN wrap around to the top.
  static constexpr Bits kSmallest = static_cast<Bits>(~(kInfinity | kTop<Bits>));
  static constexpr Key kNegativeZero = static_cast<Bits>(kTop<Bits> - 1 - kSmallest);
  static constexpr Key kZero = kNegativeZero + 1;
  static constexpr Key kLargest = static_cast<Bits>((kInfinity | kTop<Bits>)-kSmallest);

  static Key key(Bits bits) {
    const auto negative = static_cast<Bits>(Bits{0} - (bits >> (8 * sizeof(Bits) - 1)));
    const auto ordered = static_cast<Bits>(bits ^ (negative | kTop<Bits>));
    return static_cast<Bits>(ordered - kSmallest);
  }
  static Bits bits(Key key) {
    const auto ordered = static_cast<Bits>(static_cast<Bits>(key) + kSmallest);
    const auto positive = static_cast<Bits>(Bits{0} - (ordered >> (8 * sizeof(Bits) - 1)));
    return static_cast<Bits>(ordered ^ (static_cast<Bits>(~positive) | kTop<Bits>));
  }
};

template <typename Kind>
struct Loops {
  using Bits = typename Kind::Bits;
  using Key = typename Kind::Key;

  static void encode(void* keys, const void* values, std::int64_t count) {
    auto* const to = static_cast<Key*>(keys);
    const auto* const from = static_cast<const Bits*>(values);
    for (std::int64_t i = 0; i < count; ++i) to[i] = Kind::key(from[i]);
  }
  static void decode(void* values, const void* keys, std::int64_t count) {
    auto* const to = static_cast<Bits*>(values);
    const auto* const from = static_cast<const Key*>(keys);
    for (std::int64_t i = 0; i < count; ++i) to[i] = Kind::bits(from[i]);
  }

  static void sort(void* keys, std::int64_t count) {
    if (count > 1) vqsort(static_cast<Key*>(keys), static_cast<std::size_t>(count));
  }

  static bool has_ties(const void* keys, std::int64_t count) {
    if constexpr (Kind::kHasTies) {
      const auto* const from = static_cast<const Key*>(keys);
      Key negative = 0, positive = 0, largest = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        negative |= from[i] == Kind::kNegativeZero ? 1 : 0;
        positive |= from[i] == Kind::kZero ? 1 : 0;
        largest = std::max(largest, from[i]);
      }
      return (negative & positive) != 0 || largest > Kind::kLargest;
    } else {
      return false;
    }
  }

  static void sort_stably(void* keys, void* spare, std::int64_t count) {
    if constexpr (Kind::kHasTies) {
      auto* const all = static_cast<Key*>(keys);
      auto* const held = static_cast<Key*>(spare);  // zeros, and from its end NaN
      std::int64_t zeros = 0, nans = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const Key key = all[i];
        if (key - Kind::kNegativeZero <= 1) held[zeros++] = key;
        if (key > Kind::kLargest) held[count - ++nans] = key;
      }
      sort(keys, count);
      std::copy_n(held, zeros, std::lower_bound(all, all + count, Kind::kNegativeZero));
      std::reverse_copy(held + count - nans, held + count, all + count - nans);
    } else {
      sort(keys, count);
    }
  }

  static void bound(void* bounds, const void* samples, std::int64_t count, int bins) {
    auto* const to = static_cast<Key*>(bounds);
    const auto* const from = static_cast<const Key*>(samples);
    for (int i = 1; i < bins; ++i) {
      Key key = from[i * count / bins];
      if constexpr (Kind::kHasTies) {
        if (key == Kind::kNegativeZero) key = Kind::kZero;
        if (key > Kind::kLargest) key = static_cast<Key>(~Key{0});
      }
      to[i - 1] = key;
    }
    to[bins - 1] = static_cast<Key>(~Key{0});  // nothing is behind it
  }

  static void find_bins(std::uint8_t* out, const void* keys, std::int64_t count, const void* bounds,
                        int bins) {
    const auto* const from = static_cast<const Key*>(keys);
    const auto* const bound = static_cast<const Key*>(bounds);
    std::memset(out, 0, static_cast<std::size_t>(count));
    for (int first = 0; first < bins; first += 8) {
      const Key a = bound[first], b = bound[first + 1], c = bound[first + 2], d = bound[first + 3],
                e = bound[first + 4], f = bound[first + 5], g = bound[first + 6],
                h = bound[first + 7];
      for (std::int64_t i = 0; i < count; ++i) {
        const Key key = from[i];
        const Key low = Key{key > a} + Key{key > b} + Key{key > c} + Key{key > d};
        const Key high = Key{key > e} + Key{key > f} + Key{key > g} + Key{key > h};
        out[i] = static_cast<std::uint8_t>(out[i] + low + high);
      }
    }
  }

  static void scatter(void* target, const void* keys, const std::uint8_t* bins, std::int64_t count,
                      std::int64_t* next) {
    auto* const to = static_cast<Key*>(target);
    const auto* const from = static_cast<const Key*>(keys);
    for (std::int64_t i = 0; i < count; ++i) to[next[bins[i]]++] = from[i];
  }

  static constexpr SortFunctions kFunctions{.key_bytes = sizeof(Key),
                                            .encode = encode,
                                            .decode = decode,
                                            .sort = sort,
                                            .has_ties = has_ties,
                                            .sort_stably = sort_stably,
                                            .bound = bound,
                                            .find_bins = find_bins,
                                            .scatter = scatter};
};

void add(SortTable& table) {
  const auto set = [&](DType dtype, const SortFunctions& functions) {
    table.of[static_cast<std::size_t>(dtype)] = functions;
  };
  set(DType::int16, Loops<ShortIntegers<true>>::kFunctions);
  set(DType::uint16, Loops<ShortIntegers<false>>::kFunctions);
  set(DType::int32, Loops<Integers<std::uint32_t, true>>::kFunctions);
  set(DType::uint32, Loops<Integers<std::uint32_t, false>>::kFunctions);
  set(DType::int64, Loops<Integers<std::uint64_t, true>>::kFunctions);
  set(DType::uint64, Loops<Integers<std::uint64_t, false>>::kFunctions);
  set(DType::float16, Loops<Floats<std::uint16_t, 0x7C00>>::kFunctions);
  set(DType::bfloat16, Loops<Floats<std::uint16_t, 0x7F80>>::kFunctions);
  using Singles = Floats<std::uint32_t, 0x7F80'0000>;
  using Doubles = Floats<std::uint64_t, 0x7FF0'0000'0000'0000>;
  set(DType::float32, Loops<Singles>::kFunctions);
  set(DType::float64, Loops<Doubles>::kFunctions);
  set(DType::complex64, ComplexLoops<Singles>::kFunctions);
  set(DType::complex128, ComplexLoops<Doubles>::kFunctions);
}

}  // namespace
}  // namespace cupola::cpu

#define CUPOLA_CPU_ADD_SORTS add(table)
#else
#define CUPOLA_CPU_ADD_SORTS static_cast<void>(table)
#endif

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_sort_kernels_, CUPOLA_CPU_TARGET)(SortTable& table) {
  CUPOLA_CPU_ADD_SORTS;
}

}  // namespace cupola::cpu
