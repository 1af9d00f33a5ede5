#pragma once
// Complex numbers in vectors of both parts: compilers take the parts apart and put them together
// again, which takes longer than the arithmetic.

#include "platforms/cpu/kernels/target.h"

#ifdef __AVX2__

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

constexpr int64_t kPairBytes = 32;

template <typename T>
struct PairVectors {
  typedef T Parts __attribute__((vector_size(kPairBytes)));
  using Bits = select_t<sizeof(T) == 4, uint32_t, uint64_t>;
  typedef Bits BitParts __attribute__((vector_size(kPairBytes)));
};

// The sign of every second part, from the first or the second one on.
template <typename T, bool IsFirst>
[[gnu::always_inline]] inline typename PairVectors<T>::BitParts signs_of_parts() {
  using Bits = typename PairVectors<T>::Bits;
  typename PairVectors<T>::BitParts signs;
  for (int i = 0; i < static_cast<int>(kPairBytes / sizeof(T)); ++i) {
    signs[i] = (i % 2 == 0) == IsFirst ? Bits(1) << (8 * sizeof(T) - 1) : Bits(0);
  }
  return signs;
}

// out = value(vector of parts); what is left over goes through a vector of its own.
template <typename T, typename Value>
[[gnu::always_inline]] inline void for_pairs(const void* input, void* output, int64_t count,
                                             const Value& value) {
  constexpr int64_t kItems = kPairBytes / static_cast<int64_t>(sizeof(complex<T>));
  const auto* in = static_cast<const complex<T>*>(input);
  auto* out = static_cast<complex<T>*>(output);
  typename PairVectors<T>::Parts parts;
  for (; count >= kItems; count -= kItems, in += kItems, out += kItems) {
    __builtin_memcpy(&parts, in, kPairBytes);
    parts = value(parts);
    __builtin_memcpy(out, &parts, kPairBytes);
  }
  if (count == 0) return;
  parts = typename PairVectors<T>::Parts{};
  __builtin_memcpy(&parts, in, static_cast<size_t>(count) * sizeof(complex<T>));
  parts = value(parts);
  __builtin_memcpy(out, &parts, static_cast<size_t>(count) * sizeof(complex<T>));
}

template <typename T>
void conjugate_loop(const void* const* inputs, void* output, int64_t count) {
  using V = PairVectors<T>;
  const auto signs = signs_of_parts<T, false>();
  for_pairs<T>(
      inputs[0], output, count, [=](typename V::Parts parts) __attribute__((always_inline)) {
        return (typename V::Parts)((typename V::BitParts)parts ^ signs);
      });
}

// As multiply(a, a).
template <typename T>
void complex_square_loop(const void* const* inputs, void* output, int64_t count) {
  using V = PairVectors<T>;
  const auto signs = signs_of_parts<T, true>();
  for_pairs<T>(
      inputs[0], output, count, [=](typename V::Parts parts) __attribute__((always_inline)) {
        typename V::Parts re, im, crossed;
        if constexpr (sizeof(T) == 4) {
          re = __builtin_shufflevector(parts, parts, 0, 0, 2, 2, 4, 4, 6, 6);
          im = __builtin_shufflevector(parts, parts, 1, 1, 3, 3, 5, 5, 7, 7);
          crossed = __builtin_shufflevector(parts, parts, 1, 0, 3, 2, 5, 4, 7, 6);
        } else {
          re = __builtin_shufflevector(parts, parts, 0, 0, 2, 2);
          im = __builtin_shufflevector(parts, parts, 1, 1, 3, 3);
          crossed = __builtin_shufflevector(parts, parts, 1, 0, 3, 2);
        }
        // Signs that change between product and sum keep the two from becoming one instruction.
        const typename V::Parts second = im * crossed;
        return re * parts + (typename V::Parts)((typename V::BitParts)second ^ signs);
      });
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
