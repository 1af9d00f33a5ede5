#pragma once
// Booleans of wider elements with AVX2: compilers narrow masks one step at a time, through more
// shuffles than the comparisons themselves take.

#include "platforms/cpu/kernels/target.h"

#if defined(__AVX2__) && !defined(__AVX512BW__)
#define CUPOLA_CPU_NARROWS_FLAGS
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

#ifdef CUPOLA_CPU_NARROWS_FLAGS
constexpr int64_t kFlags = 32;  // of a group

// Masks, all bits or none, as booleans.
[[gnu::always_inline]] inline void store_flags(const int16_t* masks, bool* out) {
  const auto* from = reinterpret_cast<const __m256i*>(masks);
  const __m256i bytes = _mm256_packs_epi16(_mm256_load_si256(from), _mm256_load_si256(from + 1));
  const __m256i flags =
      _mm256_and_si256(_mm256_permute4x64_epi64(bytes, 0b11011000), _mm256_set1_epi8(1));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), flags);
}
[[gnu::always_inline]] inline void store_flags(const int32_t* masks, bool* out) {
  const auto load = [masks](int i) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(masks) + i);
  };
  const __m256i halves[2] = {_mm256_packs_epi32(load(0), load(1)),
                             _mm256_packs_epi32(load(2), load(3))};
  const __m256i bytes = _mm256_packs_epi16(halves[0], halves[1]);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i flags =
      _mm256_and_si256(_mm256_permutevar8x32_epi32(bytes, order), _mm256_set1_epi8(1));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), flags);
}
// Of 32 numbers below 128, what they have of `bits`, as bytes.
[[gnu::always_inline]] inline void store_bytes(const int64_t* numbers, char bits, void* out) {
  const auto pack = [numbers](int i) {
    const auto* of = reinterpret_cast<const __m256i*>(numbers) + i;
    return _mm256_packs_epi32(
        _mm256_packs_epi32(_mm256_load_si256(of), _mm256_load_si256(of + 1)),
        _mm256_packs_epi32(_mm256_load_si256(of + 2), _mm256_load_si256(of + 3)));
  };
  // Pairs of elements in turns from the first and the second half.
  const __m256i bytes =
      _mm256_and_si256(_mm256_packs_epi16(pack(0), pack(4)), _mm256_set1_epi8(bits));
  const __m128i first = _mm256_castsi256_si128(bytes), second = _mm256_extracti128_si256(bytes, 1);
  auto* to = reinterpret_cast<__m128i*>(out);
  _mm_storeu_si128(to, _mm_unpacklo_epi16(first, second));
  _mm_storeu_si128(to + 1, _mm_unpackhi_epi16(first, second));
}
[[gnu::always_inline]] inline void store_flags(const int64_t* masks, bool* out) {
  store_bytes(masks, 1, out);
}
#endif

// out[i] = flag(i) of elements of type T, as far as there are whole groups of them; how many that
// were.
template <typename T, typename Flag>
[[gnu::always_inline]] inline int64_t flag_groups([[maybe_unused]] bool* out,
                                                  [[maybe_unused]] int64_t count,
                                                  [[maybe_unused]] const Flag& flag) {
  int64_t i = 0;
#ifdef CUPOLA_CPU_NARROWS_FLAGS
  if constexpr ((sizeof(T) == 2 && Integer<T>) || sizeof(T) == 4 ||
                (sizeof(T) == 8 && !is_complex<T>)) {
    using Mask = select_t<sizeof(T) == 2, int16_t, select_t<sizeof(T) == 4, int32_t, int64_t>>;
    if (count < kFlags) return 0;
    const bool first = flag(0);
    if (__builtin_constant_p(first)) return 0;  // compilers make a fill of it
    for (; i + kFlags <= count; i += kFlags) {
      alignas(32) Mask masks[kFlags];
      for (int64_t k = 0; k < kFlags; ++k) masks[k] = flag(i + k) ? Mask(-1) : Mask(0);
      store_flags(masks, out + i);
    }
  }
#endif
  return i;
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
