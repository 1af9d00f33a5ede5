#pragma once
// What one instruction set has of vectors of words of 4 and 8 bytes: comparisons to masks, and the
// chosen words brought together.

#include "platforms/cpu/kernels/target.h"

#if defined(__AVX2__)
#define CUPOLA_CPU_SELECTS_BY_VECTORS
#include <immintrin.h>

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename Word>
struct WordVectors;

#ifdef __AVX512BW__

template <typename Word>
int64_t sum_of_lanes(__m512i counts) {
  Word of_lanes[64 / sizeof(Word)];
  _mm512_storeu_si512(of_lanes, counts);
  int64_t total = 0;
  for (const Word each : of_lanes) total += static_cast<int64_t>(each);
  return total;
}

// Where words below, at and above a pivot go next.
template <typename Word>
class MaskedTargets {
 public:
  using Vectors = WordVectors<Word>;
  MaskedTargets(Word*& less, Word*& equal, Word*& greater)
      : less_(less), equal_(equal), greater_(greater) {}
  template <typename Mask>
  [[gnu::always_inline]] void put(Mask is_less, Mask is_equal, Mask lanes, __m512i value) {
    const auto is_greater = static_cast<Mask>(lanes & ~(is_less | is_equal));
    Vectors::store(less_, is_less, value);
    Vectors::store(equal_, is_equal, value);
    Vectors::store(greater_, is_greater, value);
    less_ += __builtin_popcount(is_less);
    equal_ += __builtin_popcount(is_equal);
    greater_ += __builtin_popcount(is_greater);
  }
  void finish() {}

 private:
  Word *&less_, *&equal_, *&greater_;
};

template <>
struct WordVectors<::uint32_t> {
  using Mask = __mmask16;
  using Count = __m512i;
  using Targets = MaskedTargets<::uint32_t>;
  static constexpr int64_t kLanes = 16;
  static Mask first(int64_t count) {
    return static_cast<Mask>(_bzhi_u32(0xFFFF, unsigned(count < kLanes ? count : kLanes)));
  }
  static __m512i load(Mask lanes, const void* from) {
    return _mm512_maskz_loadu_epi32(lanes, from);
  }
  static __m512i all(::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }
  static __m512i ordered(__m512i words) { return words; }
  static Mask less(Mask lanes, __m512i a, __m512i b) {
    return _mm512_mask_cmplt_epu32_mask(lanes, a, b);
  }
  static Mask equal(Mask lanes, __m512i a, __m512i b) {
    return _mm512_mask_cmpeq_epu32_mask(lanes, a, b);
  }
  static __m512i count(__m512i counts, Mask chosen) {
    return _mm512_mask_add_epi32(counts, chosen, counts, all(1));
  }
  static int64_t sum(__m512i counts) { return sum_of_lanes<::uint32_t>(counts); }
  // The chosen ones; a whole vector is written.
  static void store_all(void* to, Mask chosen, __m512i words) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(chosen, words));
  }
  static void store(void* to, Mask chosen, __m512i words) {
    _mm512_mask_storeu_epi32(to, first(__builtin_popcount(chosen)),
                             _mm512_maskz_compress_epi32(chosen, words));
  }
};
template <>
struct WordVectors<::uint64_t> {
  using Mask = __mmask8;
  using Count = __m512i;
  using Targets = MaskedTargets<::uint64_t>;
  static constexpr int64_t kLanes = 8;
  static Mask first(int64_t count) {
    return static_cast<Mask>(_bzhi_u32(0xFF, unsigned(count < kLanes ? count : kLanes)));
  }
  static __m512i load(Mask lanes, const void* from) {
    return _mm512_maskz_loadu_epi64(lanes, from);
  }
  static __m512i all(::uint64_t word) { return _mm512_set1_epi64(static_cast<long long>(word)); }
  static __m512i ordered(__m512i words) { return words; }
  static Mask less(Mask lanes, __m512i a, __m512i b) {
    return _mm512_mask_cmplt_epu64_mask(lanes, a, b);
  }
  static Mask equal(Mask lanes, __m512i a, __m512i b) {
    return _mm512_mask_cmpeq_epu64_mask(lanes, a, b);
  }
  static __m512i count(__m512i counts, Mask chosen) {
    return _mm512_mask_add_epi64(counts, chosen, counts, all(1));
  }
  static int64_t sum(__m512i counts) { return sum_of_lanes<::uint64_t>(counts); }
  static void store_all(void* to, Mask chosen, __m512i words) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(chosen, words));
  }
  static void store(void* to, Mask chosen, __m512i words) {
    _mm512_mask_storeu_epi64(to, first(__builtin_popcount(chosen)),
                             _mm512_maskz_compress_epi64(chosen, words));
  }
};

#else

// For each mask of eight lanes the numbers of the chosen ones, in order.
struct ChosenLanes {
  ::uint8_t of_masks[256][8];
  constexpr ChosenLanes() : of_masks() {
    for (int mask = 0; mask < 256; ++mask) {
      int count = 0;
      for (int lane = 0; lane < 8; ++lane) {
        if ((mask >> lane & 1) != 0) of_masks[mask][count++] = static_cast<::uint8_t>(lane);
      }
    }
  }
};
inline constexpr ChosenLanes kChosenLanes;

[[gnu::always_inline]] inline __m256i bring_together(unsigned mask, __m256i words) {
  const auto* const lanes = reinterpret_cast<const __m128i*>(kChosenLanes.of_masks[mask]);
  return _mm256_permutevar8x32_epi32(words, _mm256_cvtepu8_epi32(_mm_loadl_epi64(lanes)));
}
// All bits of the first ones.
[[gnu::always_inline]] inline __m256i first_words(int64_t count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lanes);
}

// Whole vectors are written, so that words below, at and above a pivot are gathered before they go
// to their places.
template <typename Word>
class BufferedTargets {
 public:
  using Vectors = WordVectors<Word>;
  BufferedTargets(Word*& less, Word*& equal, Word*& greater) : parts_{&less, &equal, &greater} {}
  [[gnu::always_inline]] void put(unsigned is_less, unsigned is_equal, unsigned lanes,
                                  __m256i value) {
    append(0, is_less, value);
    if (is_equal != 0) append(1, is_equal, value);
    append(2, lanes & ~(is_less | is_equal), value);
    if (++vectors_ == kVectors) finish();
  }
  void finish() {
    for (int i = 0; i < 3; ++i) {
      __builtin_memcpy(*parts_[i], words_[i], static_cast<size_t>(counts_[i]) * sizeof(Word));
      *parts_[i] += counts_[i];
      counts_[i] = 0;
    }
    vectors_ = 0;
  }

 private:
  static constexpr int kVectors = 128;
  [[gnu::always_inline]] void append(int part, unsigned chosen, __m256i value) {
    Vectors::store_all(words_[part] + counts_[part], chosen, value);
    counts_[part] += __builtin_popcount(chosen);
  }
  Word** parts_[3];
  Word words_[3][(kVectors + 1) * Vectors::kLanes];
  int64_t counts_[3] = {};
  int vectors_ = 0;
};

template <>
struct WordVectors<::uint32_t> {
  using Mask = unsigned;
  using Count = int64_t;
  using Targets = BufferedTargets<::uint32_t>;
  static constexpr int64_t kLanes = 8;
  static Mask first(int64_t count) { return count < kLanes ? (1u << count) - 1 : 0xFFu; }
  static __m256i load(Mask lanes, const void* from) {
    if (lanes == 0xFF) return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    return _mm256_maskload_epi32(static_cast<const int*>(from),
                                 first_words(__builtin_popcount(lanes)));
  }
  static __m256i all(::uint32_t word) { return _mm256_set1_epi32(static_cast<int>(word)); }
  // Signed numbers, which alone are compared, in the order of the words.
  static __m256i ordered(__m256i words) { return words ^ all(1u << 31); }
  static Mask less(Mask lanes, __m256i a, __m256i b) {
    return lanes & mask_of_lanes(_mm256_cmpgt_epi32(b, a));
  }
  static Mask equal(Mask lanes, __m256i a, __m256i b) {
    return lanes & mask_of_lanes(_mm256_cmpeq_epi32(a, b));
  }
  static Count count(Count counts, Mask chosen) { return counts + __builtin_popcount(chosen); }
  static int64_t sum(Count counts) { return counts; }
  static void store_all(void* to, Mask chosen, __m256i words) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), bring_together(chosen, words));
  }

 private:
  static Mask mask_of_lanes(__m256i lanes) {
    return static_cast<Mask>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
  }
};
template <>
struct WordVectors<::uint64_t> {
  using Mask = unsigned;
  using Count = int64_t;
  using Targets = BufferedTargets<::uint64_t>;
  static constexpr int64_t kLanes = 4;
  static Mask first(int64_t count) { return count < kLanes ? (1u << count) - 1 : 0xFu; }
  static __m256i load(Mask lanes, const void* from) {
    if (lanes == 0xF) return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    return _mm256_maskload_epi32(static_cast<const int*>(from),
                                 first_words(2 * __builtin_popcount(lanes)));
  }
  static __m256i all(::uint64_t word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }
  static __m256i ordered(__m256i words) { return words ^ all(uint64_t{1} << 63); }
  static Mask less(Mask lanes, __m256i a, __m256i b) {
    return lanes & mask_of_lanes(_mm256_cmpgt_epi64(b, a));
  }
  static Mask equal(Mask lanes, __m256i a, __m256i b) {
    return lanes & mask_of_lanes(_mm256_cmpeq_epi64(a, b));
  }
  static Count count(Count counts, Mask chosen) { return counts + __builtin_popcount(chosen); }
  static int64_t sum(Count counts) { return counts; }
  static void store_all(void* to, Mask chosen, __m256i words) {
    const unsigned halves = _pdep_u32(chosen, 0x55) * 3;  // each bit twice
    _mm256_storeu_si256(static_cast<__m256i*>(to), bring_together(halves, words));
  }

 private:
  static Mask mask_of_lanes(__m256i lanes) {
    return static_cast<Mask>(_mm256_movemask_pd(_mm256_castsi256_pd(lanes)));
  }
};
#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
