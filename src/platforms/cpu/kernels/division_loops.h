#pragma once
// Vectorised divisions of integers, for which processors have no vector instruction.

#include "platforms/cpu/kernels/integer_loops.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// Both results of a division.
template <typename T>
struct Division {
  T quotient, rest;
};

enum class Rounding { down, towards_zero };

// As floor_divide and remainder, or fmod, from the truncated quotient.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> rounded(T a, T b, T quotient) {
  const T rest = subtract(a, multiply(quotient, b));
  if constexpr (kRounding == Rounding::down && SignedInteger<T>) {
    const T below =
        static_cast<T>(mask_of<T>(rest != 0) & mask_of<T>(static_cast<T>(rest ^ b) < 0));
    return {add(quotient, below), add(rest, static_cast<T>(below & b))};
  } else {
    return {quotient, rest};
  }
}

// By floating-point numbers with more than twice the bits of T: their truncated quotient is exact.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> divided(T a, T b) {
  using Wide = select_t<sizeof(T) <= 2, float, double>;
  using Whole = select_t<sizeof(T) <= 2, int32_t, T>;
  const T exists = mask_of<T>(b != 0);
  const T is_negation = SignedInteger<T> ? mask_of<T>(b == static_cast<T>(-1)) : T(0);
  // -1 and 0 become 1: no quotient is beyond the type.
  const T divisor = static_cast<T>((b & exists & ~is_negation) | (~exists & 1) | (is_negation & 1));
  const auto quotient =
      static_cast<T>(static_cast<Whole>(static_cast<Wide>(a) / static_cast<Wide>(divisor)));
  const T opposite = subtract(static_cast<T>(quotient ^ is_negation), is_negation);
  const Division<T> both = rounded<kRounding>(a, b, opposite);
  return {static_cast<T>(both.quotient & exists), static_cast<T>(both.rest & exists)};
}

// Whole numbers up to this go from and to float64 by an addition, and their quotients, truncated,
// are exact.
constexpr int64_t kDoubleLimit = int64_t{1} << 51;
constexpr double kDoubleShift = 0x1.8p52;
[[gnu::always_inline]] inline double to_double(int64_t small) {
  return bit_cast<double>(small + bit_cast<int64_t>(kDoubleShift)) - kDoubleShift;
}
[[gnu::always_inline]] inline int64_t from_double(double whole) {
  return bit_cast<int64_t>(whole + kDoubleShift) - bit_cast<int64_t>(kDoubleShift);
}
template <typename T>
bool are_small(const T* a, const T* b, int64_t count) {
  constexpr auto kLimit = static_cast<uint64_t>(kDoubleLimit);
  constexpr uint64_t kShift = SignedInteger<T> ? kLimit : 0, kEnd = kLimit + kShift;
  uint64_t all = 0;
  for (int64_t i = 0; i < count; ++i) {
    all |= (static_cast<uint64_t>(a[i]) + kShift) | (static_cast<uint64_t>(b[i]) + kShift);
  }
  return all < kEnd;  // a power of two
}

// As above, of small numbers of 64 bits.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> divided_by_doubles(T a, T b) {
  const T exists = mask_of<T>(b != 0);
  const double dividend = to_double(static_cast<int64_t>(a));
  const double divisor = to_double(static_cast<int64_t>(b) | (1 & ~static_cast<int64_t>(exists)));
  const auto quotient = static_cast<T>(from_double(trunc(dividend / divisor)));
  const double product = trunc(dividend / divisor) * divisor;
  const auto rest = static_cast<T>(from_double(dividend - product));
  if constexpr (kRounding == Rounding::down && SignedInteger<T>) {
    const T below = mask_of<T>(rest != 0) & mask_of<T>((rest ^ b) < 0);
    return {(quotient + below) & exists, rest + (below & b)};
  } else {
    return {quotient & exists, rest};
  }
}

__extension__ typedef unsigned __int128 uint128_t;

// Division of unsigned numbers of N bits by one number: Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication", 1994, figure 4.1.
template <typename U>
class Divisor {
 public:
  explicit Divisor(U d) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(U));
    int log = 0;
    while (log < kBits && (static_cast<Double>(1) << log) < d) ++log;
    const Double rest = (static_cast<Double>(1) << log) - d;
    multiplier_ = static_cast<U>((rest << kBits) / d + 1);
    first_ = log < 1 ? log : 1;
    second_ = log < 1 ? 0 : log - 1;
  }
  [[gnu::always_inline]] U quotient(U n) const {
    const U high = high_product(n, multiplier_);
    return static_cast<U>(static_cast<U>(high + (static_cast<U>(n - high) >> first_)) >> second_);
  }

  U multiplier() const { return multiplier_; }
  int first_shift() const { return first_; }
  int second_shift() const { return second_; }

 private:
  [[gnu::always_inline]] static U high_product(U a, U b) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(U));
#ifdef __AVX512DQ__
    if constexpr (kBits == 64) {  // by products of 64 bits, of which there are vectors
      constexpr U kLow = 0xffffffff;
      const U low = (a & kLow) * (b & kLow);
      const U first = (a >> 32) * (b & kLow) + (low >> 32);
      const U second = (a & kLow) * (b >> 32) + (first & kLow);
      return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
    }
#endif
    return static_cast<U>(static_cast<Double>(a) * b >> kBits);
  }

  using Double = select_t<sizeof(U) <= 2, uint32_t, select_t<sizeof(U) == 4, uint64_t, uint128_t>>;
  U multiplier_;
  int first_, second_;
};

// Of numbers of 8 bits, for which one product of 16 bits is exact.
class ByteDivisor {
 public:
  explicit ByteDivisor(::uint8_t d)
      : multiplier_(d == 1 ? uint16_t(0) : static_cast<uint16_t>(0x10000 / d + 1)),
        itself_(d == 1 ? uint16_t(0xff) : uint16_t(0)) {}
  [[gnu::always_inline]] uint16_t quotient(uint16_t n) const {
    const auto product = static_cast<uint16_t>(static_cast<uint32_t>(n) * multiplier_ >> 16);
    return static_cast<uint16_t>(product | static_cast<uint16_t>(n & itself_));
  }

  uint16_t multiplier() const { return multiplier_; }
  uint16_t itself() const { return itself_; }

 private:
  uint16_t multiplier_, itself_;
};

template <typename T>
using divisor_t = select_t<sizeof(T) == 1, ByteDivisor, Divisor<unsigned_t<T>>>;

// a / b for b > 0.
template <Rounding kRounding, typename T>
[[gnu::always_inline]] inline Division<T> divided(T a, T b, const divisor_t<T>& by) {
  using U = unsigned_t<T>;
  const U sign = is_negative(a) ? static_cast<U>(-1) : U(0);
  const U carry = kRounding == Rounding::down ? U(0) : sign;
  const auto size = static_cast<U>((static_cast<U>(a) ^ sign) - carry);
  const auto quotient =
      static_cast<T>(static_cast<U>((static_cast<U>(by.quotient(size)) ^ sign) - carry));
  return {quotient, subtract(a, multiply(quotient, b))};
}

// floor(a / b) by 1 / b, for small numbers of 64 bits: the half keeps quotients further from whole
// numbers than what is lost.
template <typename T>
[[gnu::always_inline]] inline Division<T> divided_by_inverse(T a, T b, double inverse) {
  const double dividend = to_double(static_cast<int64_t>(a));
  const auto quotient = static_cast<T>(from_double(floor((dividend + 0.5) * inverse)));
  return {quotient, subtract(a, multiply(quotient, b))};
}

// What instructions do of the front of a block: how many elements. Compilers make slower
// ones of products of 32 bits, and of halves of bytes.
template <Rounding kRounding, bool IsQuotient, typename T>
int64_t divide_front(const T*, T, const divisor_t<T>&, T*, int64_t) {
  return 0;
}
#ifdef __AVX512DQ__
template <Rounding kRounding, bool IsQuotient>
int64_t divide_front(const uint32_t* a, uint32_t b, const Divisor<uint32_t>& by, uint32_t* out,
                     int64_t count) {
  constexpr __mmask16 kAll = 0xffff, kOdd = 0xaaaa;
  constexpr __mmask8 kPairs = 0xff;
  const auto divisor = _mm512_set1_epi32(static_cast<int32_t>(b));
  const auto multiplier = _mm512_set1_epi32(static_cast<int32_t>(by.multiplier()));
  const __m128i first = _mm_cvtsi32_si128(by.first_shift());
  const __m128i second = _mm_cvtsi32_si128(by.second_shift());
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512i n = _mm512_loadu_si512(a + i);
    const __m512i even =
        _mm512_maskz_srli_epi64(kPairs, _mm512_maskz_mul_epu32(kPairs, n, multiplier), 32);
    const __m512i odd =
        _mm512_maskz_mul_epu32(kPairs, _mm512_maskz_srli_epi64(kPairs, n, 32), multiplier);
    const __m512i high = _mm512_mask_mov_epi32(even, kOdd, odd);
    const __m512i rest = _mm512_maskz_srl_epi32(kAll, _mm512_sub_epi32(n, high), first);
    const __m512i quotient = _mm512_maskz_srl_epi32(kAll, _mm512_add_epi32(high, rest), second);
    _mm512_storeu_si512(out + i, IsQuotient
                                     ? quotient
                                     : _mm512_sub_epi32(n, _mm512_mullo_epi32(quotient, divisor)));
  }
  return i;
}
#elif defined(__AVX2__)
template <typename T>
concept OneByte = sizeof(T) == 1;
template <typename T>
concept TwoOrFourBytes = sizeof(T) == 2 || sizeof(T) == 4;

// What AVX2 has of lanes of 2 and 4 bytes.
template <size_t Bytes>
struct Lanes;
template <>
struct Lanes<2> {
  static __m256i all(int value) { return _mm256_set1_epi16(static_cast<int16_t>(value)); }
  static __m256i sign(__m256i a) { return _mm256_srai_epi16(a, 15); }
  static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi16(a, b); }
  static __m256i subtract(__m256i a, __m256i b) { return _mm256_sub_epi16(a, b); }
  static __m256i shift_right(__m256i a, __m128i bits) { return _mm256_srl_epi16(a, bits); }
  static __m256i multiply(__m256i a, __m256i b) { return _mm256_mullo_epi16(a, b); }
  static __m256i high_product(__m256i a, __m256i b) { return _mm256_mulhi_epu16(a, b); }
};
template <>
struct Lanes<4> {
  static __m256i all(int value) { return _mm256_set1_epi32(value); }
  static __m256i sign(__m256i a) { return _mm256_srai_epi32(a, 31); }
  static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
  static __m256i subtract(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
  static __m256i shift_right(__m256i a, __m128i bits) { return _mm256_srl_epi32(a, bits); }
  static __m256i multiply(__m256i a, __m256i b) { return _mm256_mullo_epi32(a, b); }
  // Of a `b` that is the same in all lanes.
  static __m256i high_product(__m256i a, __m256i b) {
    constexpr int kOdd = 0xaa;
    const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(a, b), 32);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), b);
    return _mm256_blend_epi32(even, odd, kOdd);
  }
};

template <Rounding kRounding, bool IsQuotient, TwoOrFourBytes T>
int64_t divide_front(const T* a, T b, const divisor_t<T>& by, T* out, int64_t count) {
  using L = Lanes<sizeof(T)>;
  constexpr int64_t kItems = 32 / sizeof(T);
  const __m256i divisor = L::all(static_cast<int>(b));
  const __m256i multiplier = L::all(static_cast<int>(by.multiplier()));
  const __m128i first = _mm_cvtsi32_si128(by.first_shift());
  const __m128i second = _mm_cvtsi32_si128(by.second_shift());
  int64_t i = 0;
  for (; i + kItems <= count; i += kItems) {
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
    // As divided().
    const __m256i sign = SignedInteger<T> ? L::sign(value) : __m256i{};
    const __m256i carry = kRounding == Rounding::down ? __m256i{} : sign;
    const __m256i n = L::subtract(_mm256_xor_si256(value, sign), carry);
    const __m256i high = L::high_product(n, multiplier);
    const __m256i rest = L::shift_right(L::subtract(n, high), first);
    const __m256i size = L::shift_right(L::add(high, rest), second);
    const __m256i quotient = L::subtract(_mm256_xor_si256(size, sign), carry);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        IsQuotient ? quotient : L::subtract(value, L::multiply(quotient, divisor)));
  }
  return i;
}

template <Rounding kRounding, bool IsQuotient, OneByte T>
int64_t divide_front(const T* a, T b, const divisor_t<T>& by, T* out, int64_t count) {
  const auto divisor = _mm256_set1_epi16(b);
  const auto multiplier = _mm256_set1_epi16(static_cast<int16_t>(by.multiplier()));
  const auto itself = _mm256_set1_epi16(static_cast<int16_t>(by.itself()));
  const auto low_bytes = _mm256_set1_epi16(0xff);
  int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
    const __m256i sign = SignedInteger<T> ? _mm256_cmpgt_epi8(__m256i{}, value) : __m256i{};
    const __m256i carry = kRounding == Rounding::down ? __m256i{} : sign;
    const __m256i size = _mm256_sub_epi8(_mm256_xor_si256(value, sign), carry);
    const __m256i low = _mm256_and_si256(size, low_bytes), high = _mm256_srli_epi16(size, 8);
    const auto divide = [&](__m256i n) __attribute__((always_inline)) {
      return _mm256_or_si256(_mm256_mulhi_epu16(n, multiplier), _mm256_and_si256(n, itself));
    };
    const __m256i even = divide(low), odd = divide(high);
    const __m256i whole = _mm256_or_si256(even, _mm256_slli_epi16(odd, 8));
    const __m256i quotient = _mm256_sub_epi8(_mm256_xor_si256(whole, sign), carry);
    __m256i result = quotient;
    if constexpr (!IsQuotient) {
      const __m256i even_product = _mm256_mullo_epi16(quotient, divisor);
      const __m256i odd_product = _mm256_mullo_epi16(_mm256_srli_epi16(quotient, 8), divisor);
      const __m256i product = _mm256_or_si256(_mm256_and_si256(even_product, low_bytes),
                                              _mm256_slli_epi16(odd_product, 8));
      result = _mm256_sub_epi8(value, product);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), result);
  }
  return i;
}
#endif

// a / b for one b > 0.
template <Rounding kRounding, bool IsQuotient, typename T>
void divide_block(const T* a, T b, const divisor_t<T>& by, T* out, int64_t count) {
  const auto value = [](const Division<T>& both) { return IsQuotient ? both.quotient : both.rest; };
  if constexpr (sizeof(T) == 8 && (kRounding == Rounding::down || !SignedInteger<T>)) {
    if (are_small(a, a, count)) {
      const double inverse = 1.0 / static_cast<double>(b);
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < count; ++i) out[i] = value(divided_by_inverse(a[i], b, inverse));
      return;
    }
  }
  const divisor_t<T> kept = by;  // in registers
  const int64_t front = divide_front<kRounding, IsQuotient>(a, b, kept, out, count);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = front; i < count; ++i) out[i] = value(divided<kRounding>(a[i], b, kept));
}

template <Rounding kRounding, bool IsQuotient, typename T>
void division_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  const auto value = [](const Division<T>& both) { return IsQuotient ? both.quotient : both.rest; };
  divisor_t<T> by(1);
  T by_value = 1;
  for (; count > 0;
       count -= kIntegerBlock, a += kIntegerBlock, b += kIntegerBlock, out += kIntegerBlock) {
    const int64_t size = count < kIntegerBlock ? count : kIntegerBlock;
    const T first = b[0];
    const auto rest = static_cast<size_t>(size - 1) * sizeof(T);
    if (first > 0 && __builtin_memcmp(b, b + 1, rest) == 0) {
      if (first != by_value) by = divisor_t<T>(static_cast<unsigned_t<T>>(first));
      by_value = first;
      divide_block<kRounding, IsQuotient>(a, first, by, out, size);
    } else if constexpr (sizeof(T) <= 4) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < size; ++i) out[i] = value(divided<kRounding>(a[i], b[i]));
    } else if (are_small(a, b, size)) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < size; ++i) {
        out[i] = value(divided_by_doubles<kRounding>(a[i], b[i]));
      }
    } else {
      for (int64_t i = 0; i < size; ++i) {
        const T divisor = b[i];  // the output may be one of the inputs
        const T result =
            value(rounded<kRounding>(a[i], divisor, truncated_quotient(a[i], divisor)));
        out[i] = divisor == 0 ? T(0) : result;
      }
    }
  }
}

template <Rounding kRounding, bool IsQuotient, typename T>
void division_by_one(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const T b = *static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  const auto value = [](const Division<T>& both) { return IsQuotient ? both.quotient : both.rest; };
  if (b > 0) {
    const divisor_t<T> by(static_cast<unsigned_t<T>>(b));
    for (; count > 0; count -= kIntegerBlock, a += kIntegerBlock, out += kIntegerBlock) {
      divide_block<kRounding, IsQuotient>(a, b, by, out,
                                          count < kIntegerBlock ? count : kIntegerBlock);
    }
  } else if constexpr (sizeof(T) <= 4) {
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = value(divided<kRounding>(a[i], b));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const T result = value(rounded<kRounding>(a[i], b, truncated_quotient(a[i], b)));
      out[i] = b == 0 ? T(0) : result;
    }
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
