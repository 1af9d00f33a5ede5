#pragma once
// Shifts, powers and bit counts of integers, by vectors.

#include "platforms/cpu/kernels/flag_groups.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

constexpr int64_t kIntegerBlock = 512;  // elements that go through all steps together

// All bits set, or none. Compilers make vectors of masks where they would keep a choice a branch.
template <typename T>
[[gnu::always_inline]] inline T mask_of(bool condition) {
  return static_cast<T>(-static_cast<T>(condition));
}

// By a number of bits within the type for all, or by the general function.
template <bool IsLeft, typename T>
void shift_by_one(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const T b = *static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  if (b < 0 || static_cast<uint64_t>(b) >= 8 * sizeof(T)) {
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i)
      out[i] = IsLeft ? left_shift(a[i], b) : right_shift(a[i], b);
    return;
  }
  const int bits = static_cast<int>(b);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    out[i] = IsLeft ? static_cast<T>(static_cast<unsigned_t<T>>(a[i]) << bits)
                    : static_cast<T>(a[i] >> bits);
  }
}

// By squaring: all elements of a block have the same factors.
template <typename T>
void power_by_one(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const T b = *static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  if (is_negative(b)) {
    for (int64_t i = 0; i < count; ++i) out[i] = power(a[i], b);
    return;
  }
  T bases[kIntegerBlock], results[kIntegerBlock];
  for (; count > 0; count -= kIntegerBlock, a += kIntegerBlock, out += kIntegerBlock) {
    const int64_t size = count < kIntegerBlock ? count : kIntegerBlock;
    for (int64_t i = 0; i < size; ++i) bases[i] = a[i];
    for (int64_t i = 0; i < size; ++i) results[i] = (b & 1) != 0 ? bases[i] : T(1);
    for (T left = static_cast<T>(b >> 1); left != 0; left = static_cast<T>(left >> 1)) {
      for (int64_t i = 0; i < size; ++i) bases[i] = multiply(bases[i], bases[i]);
      if ((left & 1) == 0) continue;
      for (int64_t i = 0; i < size; ++i) results[i] = multiply(results[i], bases[i]);
    }
    for (int64_t i = 0; i < size; ++i) out[i] = results[i];
  }
}

template <typename T>
void sign_of_integer_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<T*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(mask_of<T>(in[i] < 0) - mask_of<T>(in[i] > 0));
  }
}

template <typename T>
void bit_count_loop(const void* const* inputs, void* output, int64_t count) {
  using U = unsigned_t<T>;
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<uint8_t*>(output);
  constexpr auto kOnes = static_cast<U>(0x0101010101010101u);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    U bits = magnitude(in[i]);
    bits = static_cast<U>(bits - ((bits >> 1) & static_cast<U>(kOnes * 0x55)));
    bits = static_cast<U>((bits & static_cast<U>(kOnes * 0x33)) +
                          ((bits >> 2) & static_cast<U>(kOnes * 0x33)));
    bits = static_cast<U>((bits + (bits >> 4)) & static_cast<U>(kOnes * 0x0f));
    for (int half = 4 * static_cast<int>(sizeof(U)); half >= 8; half /= 2) {
      bits = static_cast<U>(bits + (bits >> half));
    }
    out[i] = static_cast<uint8_t>(bits & 0x7f);
  }
}

// Each value becomes the number of its bits, by tables of half bytes where there are registers of
// them; `count` is a multiple of eight.
#if defined(__AVX512BW__)
inline void count_bits(uint64_t* values, int64_t count) {
  const __m512i half = _mm512_set1_epi8(0x0f);
  const __m512i table = _mm512_maskz_broadcast_i32x4(
      0xffff, _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  for (int64_t i = 0; i < count; i += 8) {
    const __m512i bytes = _mm512_loadu_si512(values + i);
    const __m512i low = _mm512_shuffle_epi8(table, bytes & half);
    const __m512i high = _mm512_shuffle_epi8(table, _mm512_srli_epi16(bytes, 4) & half);
    const __m512i counts = _mm512_add_epi8(low, high);
    _mm512_storeu_si512(values + i, _mm512_sad_epu8(counts, _mm512_setzero_si512()));
  }
}
#elif defined(__AVX2__)
inline void count_bits(uint64_t* values, int64_t count) {
  const __m256i half = _mm256_set1_epi8(0x0f);
  const __m256i table =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  for (int64_t i = 0; i < count; i += 4) {
    auto* const four = reinterpret_cast<__m256i*>(values + i);
    const __m256i bytes = _mm256_loadu_si256(four);
    const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, half));
    const __m256i high =
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
    _mm256_storeu_si256(four, _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
  }
}
#else
inline void count_bits(uint64_t* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<uint64_t>(__builtin_popcountll(values[i]));
  }
}
#endif

template <typename T>
void wide_bit_count_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<uint8_t*>(output);
  alignas(64) uint64_t values[kIntegerBlock] = {};
  for (; count > 0; count -= kIntegerBlock, in += kIntegerBlock, out += kIntegerBlock) {
    const int64_t size = count < kIntegerBlock ? count : kIntegerBlock;
    for (int64_t i = 0; i < size; ++i) values[i] = magnitude(in[i]);
    count_bits(values, (size + 7) / 8 * 8);
    int64_t i = 0;
#ifdef CUPOLA_CPU_NARROWS_FLAGS
    for (; i + kFlags <= size; i += kFlags) {
      store_bytes(reinterpret_cast<const int64_t*>(values) + i, 0x7f, out + i);
    }
#endif
    for (; i < size; ++i) out[i] = static_cast<uint8_t>(values[i]);
  }
}

// By squaring, all elements of a block together: as many steps as the largest exponent has bits.
template <typename T>
void power_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  T bases[kIntegerBlock], exponents[kIntegerBlock], results[kIntegerBlock];
  for (; count > 0;
       count -= kIntegerBlock, a += kIntegerBlock, b += kIntegerBlock, out += kIntegerBlock) {
    const int64_t size = count < kIntegerBlock ? count : kIntegerBlock;
    T all = 0;
    for (int64_t i = 0; i < size; ++i) all = static_cast<T>(all | b[i]);
    if (is_negative(all)) {
      for (int64_t i = 0; i < size; ++i) out[i] = power(a[i], b[i]);
      continue;
    }
    for (int64_t i = 0; i < size; ++i) {
      bases[i] = a[i];
      exponents[i] = b[i];
      results[i] = 1;
    }
    for (; all != 0; all = static_cast<T>(all >> 1)) {
      for (int64_t i = 0; i < size; ++i) {
        const T odd = mask_of<T>((exponents[i] & 1) != 0);
        results[i] = multiply(results[i], static_cast<T>((bases[i] & odd) | (1 & ~odd)));
        bases[i] = multiply(bases[i], bases[i]);
        exponents[i] = static_cast<T>(exponents[i] >> 1);
      }
    }
    for (int64_t i = 0; i < size; ++i) out[i] = results[i];
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
