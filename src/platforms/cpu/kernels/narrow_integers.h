#pragma once
// Vectors of narrow integers where there is no instruction: shifts by as many numbers of bits, and
// what becomes of integers of 4 and 8 bytes.

#include "platforms/cpu/kernels/target.h"

#if defined(__AVX2__) && !defined(__AVX512BW__)
#define CUPOLA_CPU_NARROW_VECTORS
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// How many of the integers are done.
template <typename To, typename From>
int64_t narrow_front(const From*, To*, int64_t) {
  return 0;
}

#ifdef CUPOLA_CPU_NARROW_VECTORS
template <typename T>
[[gnu::always_inline]] inline __m256i eight_as_words(const T* values, bool is_signed) {
  if constexpr (sizeof(T) == 1) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(values));
    return is_signed ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
  } else {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    return is_signed ? _mm256_cvtepi16_epi32(halves) : _mm256_cvtepu16_epi32(halves);
  }
}

// The low bits of words, in order.
template <typename T>
[[gnu::always_inline]] inline void store_low(const __m256i* words, T* out) {
  const __m256i low = _mm256_set1_epi32(sizeof(T) == 1 ? 0xff : 0xffff);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const auto pair = [&](int i) {
    return _mm256_packus_epi32(_mm256_and_si256(words[i], low),
                               _mm256_and_si256(words[i + 1], low));
  };
  if constexpr (sizeof(T) == 1) {
    const __m256i bytes = _mm256_packus_epi16(pair(0), pair(2));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(bytes, order));
  } else {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permute4x64_epi64(pair(0), 0b11011000));
  }
}

// Instructions shift everything out by more bits than there are, as the functions do; negative
// numbers of bits are as large as these.
template <bool IsLeft, typename T>
int64_t shift_front(const T* a, const T* b, T* out, int64_t count) {
  if constexpr (sizeof(T) > 2) {
    return 0;
  } else {
    constexpr int kWords = 4 / sizeof(T);
    int64_t i = 0;
    for (; i + 8 * kWords <= count; i += 8 * kWords) {
      __m256i words[kWords];
      for (int k = 0; k < kWords; ++k) {
        const __m256i value = eight_as_words(a + i + 8 * k, SignedInteger<T>);
        const __m256i bits = eight_as_words(b + i + 8 * k, false);
        words[k] = IsLeft             ? _mm256_sllv_epi32(value, bits)
                   : SignedInteger<T> ? _mm256_srav_epi32(value, bits)
                                      : _mm256_srlv_epi32(value, bits);
      }
      store_low(words, out + i);
    }
    return i;
  }
}

[[gnu::always_inline]] inline __m256i load_vector_of(const void* from, int64_t i) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from) + i);
}
// Eight integers of 4 or 8 bytes, as words.
template <typename From>
[[gnu::always_inline]] inline __m256i eight_low_words(const From* from) {
  if constexpr (sizeof(From) == 4) {
    return load_vector_of(from, 0);
  } else {
    const __m256 first = _mm256_castsi256_ps(load_vector_of(from, 0));
    const __m256 second = _mm256_castsi256_ps(load_vector_of(from, 1));
    const __m256 words = _mm256_shuffle_ps(first, second, 0b10001000);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(words), 0b11011000);
  }
}

template <typename From>
concept Wider = Integer<From> && sizeof(From) >= 4;

template <Integer To, Wider From>
requires(sizeof(To) < sizeof(From)) int64_t narrow_front(const From* from, To* to, int64_t count) {
  constexpr int kWords = 4 / sizeof(To);
  int64_t i = 0;
  for (; i + 8 * kWords <= count; i += 8 * kWords) {
    __m256i words[kWords];
    for (int k = 0; k < kWords; ++k) words[k] = eight_low_words(from + i + 8 * k);
    if constexpr (kWords == 1) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), words[0]);
    } else {
      store_low(words, to + i);
    }
  }
  return i;
}

#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
