#pragma once
// Highway's VQSort (Wassenberg et al., "Vectorized and performance-portable Quicksort", 2022) for
// the instruction set that the including file is compiled for. Of Highway only headers are used.

#include <cstddef>
#include <cstdint>

#if defined(__AVX512F__)
#include <immintrin.h>
// Highway stores with a compressing instruction, which takes Zen 4 processors over 100 cycles; to
// compress a register and to store it takes others no longer.
namespace {
[[gnu::always_inline]] inline void compress_and_store_32(void* to, __mmask16 mask, __m512i words) {
  const auto count = static_cast<unsigned>(__builtin_popcount(mask));
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(_bzhi_u32(0xFFFF, count)),
                           _mm512_maskz_compress_epi32(mask, words));
}
[[gnu::always_inline]] inline void compress_and_store_64(void* to, __mmask8 mask, __m512i words) {
  const auto count = static_cast<unsigned>(__builtin_popcount(mask));
  _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(_bzhi_u32(0xFF, count)),
                           _mm512_maskz_compress_epi64(mask, words));
}
}  // namespace
#define _mm512_mask_compressstoreu_epi32 compress_and_store_32
#define _mm512_mask_compressstoreu_epi64 compress_and_store_64
#endif

#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLE_PCLMUL_AES  // x86-64-v3 has neither, and sorting needs neither
#define VQSORT_ONLY_STATIC 1
// Functions of one instruction set must not stand for those of another one when all are linked.
#define hwy CUPOLA_CPU_JOIN(hwy_, CUPOLA_CPU_TARGET)
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/traits128-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>

#if !VQSORT_ENABLED || HWY_TARGET > HWY_AVX2
#error "VQSort is off for this instruction set"
#endif

namespace {

#if HWY_MAJOR == 1 && HWY_MINOR == 0
// As Sort() does, which takes its seed from the system each time: that is a call of a library.
template <typename Order, typename Lane>
void vqsort_lanes(Order order, Lane* keys, std::size_t lanes) {
  namespace detail = hwy::HWY_NAMESPACE::detail;
  const hwy::HWY_NAMESPACE::SortTag<Lane> tag;
  if (detail::HandleSpecialCases(tag, order, keys, lanes)) return;
  HWY_ALIGN Lane buffer[hwy::SortConstants::BufNum<Lane>(HWY_LANES(Lane))] = {};
  detail::Generator random(0x9E3779B97F4A7C15u + lanes);
  detail::Recurse(tag, order, keys, keys + lanes, lanes, buffer, random,
                  2 * hwy::CeilLog2(lanes) + 4);
}
#endif

// Ascending, in place.
template <typename T>
void vqsort(T* keys, std::size_t count) {
#if HWY_MAJOR > 1 || HWY_MINOR > 0
  hwy::HWY_NAMESPACE::VQSortStatic(keys, count, hwy::SortAscending());
#else
  namespace detail = hwy::HWY_NAMESPACE::detail;
  using Order = detail::TraitsLane<detail::OrderAscending<T> >;
  vqsort_lanes(detail::SharedTraits<Order>(), keys, count);
#endif
}

// The same of keys of 16 bytes, two words each, of which the second one is above the first.
[[maybe_unused]] void vqsort_pairs(std::uint64_t* keys, std::size_t count) {
#if HWY_MAJOR > 1 || HWY_MINOR > 0
  hwy::HWY_NAMESPACE::VQSortStatic(reinterpret_cast<hwy::uint128_t*>(keys), count,
                                   hwy::SortAscending());
#else
  namespace detail = hwy::HWY_NAMESPACE::detail;
  using Order = detail::Traits128<detail::OrderAscending128>;
  vqsort_lanes(detail::SharedTraits<Order>(), keys, 2 * count);
#endif
}

}  // namespace
