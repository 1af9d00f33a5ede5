#pragma once
// frexp, ldexp, modf and nextafter without branches, and functions that change the sign bit of
// 16-bit floats only.

#include "platforms/cpu/kernels/target.h"

#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename T>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  static constexpr int kMantissa = 23;
  static constexpr int kBias = 127;
  static constexpr float kLeastNormal = 0x1p-126f;
  static constexpr float kScale = 0x1p32f;  // makes all subnormal numbers normal
};
template <>
struct FloatFormat<double> {
  static constexpr int kMantissa = 52;
  static constexpr int kBias = 1023;
  static constexpr double kLeastNormal = 0x1p-1022;
  static constexpr double kScale = 0x1p64;
};

// value = mantissa * 2^exponent with 0.5 <= |mantissa| < 1; zeros and what is not finite stay, with
// the exponent 0.
template <typename T>
struct SplitNumber {
  using Format = FloatFormat<T>;
  using Bits = select_t<sizeof(T) == 4, int32_t, int64_t>;
  static constexpr Bits kExponents = (Bits(2 * Format::kBias) + 1) << Format::kMantissa;

  [[gnu::always_inline]] explicit SplitNumber(T value) {
    constexpr int kScale = sizeof(T) == 4 ? 32 : 64;
    const T size = absolute(value);
    is_split =
        static_cast<bool>(static_cast<int>(size > 0) & static_cast<int>(size < infinity<T>()));
    const bool small = size < Format::kLeastNormal;
    const auto bits = bit_cast<Bits>(small ? value * Format::kScale : value);
    const auto found = (bits & kExponents) >> Format::kMantissa;
    const Bits power = found - (Format::kBias - 1) - (small ? kScale : 0);
    exponent = is_split ? power : 0;
    const Bits half = (bits & ~kExponents) | (Bits(Format::kBias - 1) << Format::kMantissa);
    mantissa = is_split ? bit_cast<T>(half) : value;
  }

  T mantissa;
  Bits exponent;
  bool is_split;
};

#ifdef __AVX512DQ__
// What instructions do of the front of arrays: how many elements. Either result may be null. With
// masks, because compilers warn of the undefined values that the forms without them begin with. The
// classes of NaN, zeros and infinities.
constexpr int kStays = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x80;
[[gnu::always_inline]] inline int64_t split_front(const float* in, float* mantissas,
                                                  int32_t* exponents, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 value = _mm512_loadu_ps(in + i);
    const auto splits = static_cast<__mmask16>(~_mm512_fpclass_ps_mask(value, kStays));
    if (mantissas != nullptr) {
      _mm512_storeu_ps(
          mantissas + i,
          _mm512_mask_getmant_ps(value, splits, value, _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_src));
    }
    if (exponents != nullptr) {
      const __m512i power = _mm512_maskz_cvtps_epi32(splits, _mm512_maskz_getexp_ps(splits, value));
      _mm512_storeu_si512(exponents + i,
                          _mm512_maskz_add_epi32(splits, power, _mm512_set1_epi32(1)));
    }
  }
  return i;
}
[[gnu::always_inline]] inline int64_t split_front(const double* in, double* mantissas,
                                                  int32_t* exponents, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512d value = _mm512_loadu_pd(in + i);
    const auto splits = static_cast<__mmask8>(~_mm512_fpclass_pd_mask(value, kStays));
    if (mantissas != nullptr) {
      _mm512_storeu_pd(
          mantissas + i,
          _mm512_mask_getmant_pd(value, splits, value, _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_src));
    }
    if (exponents != nullptr) {
      const __m256i power = _mm512_maskz_cvtpd_epi32(splits, _mm512_maskz_getexp_pd(splits, value));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(exponents + i),
                          _mm256_maskz_add_epi32(splits, power, _mm256_set1_epi32(1)));
    }
  }
  return i;
}
inline int64_t scale_front(const float* in, const int32_t* exponents, float* out, int64_t count) {
  constexpr __mmask16 kAll = 0xffff;
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 power = _mm512_maskz_cvtepi32_ps(kAll, _mm512_loadu_si512(exponents + i));
    _mm512_storeu_ps(out + i, _mm512_maskz_scalef_ps(kAll, _mm512_loadu_ps(in + i), power));
  }
  return i;
}
inline int64_t scale_front(const double* in, const int32_t* exponents, double* out, int64_t count) {
  constexpr __mmask8 kAll = 0xff;
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512d power = _mm512_maskz_cvtepi32_pd(
        kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(exponents + i)));
    _mm512_storeu_pd(out + i, _mm512_maskz_scalef_pd(kAll, _mm512_loadu_pd(in + i), power));
  }
  return i;
}
#else
template <typename T>
int64_t split_front(const T*, T*, int32_t*, int64_t) {
  return 0;
}
#endif
template <typename T, typename Exponent>
int64_t scale_front(const T*, const Exponent*, T*, int64_t) {
  return 0;
}

template <typename T>
void mantissa_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<T*>(output);
  int64_t i = split_front(in, out, nullptr, count);
  CUPOLA_CPU_INDEPENDENT
  for (; i < count; ++i) out[i] = SplitNumber<T>(in[i]).mantissa;
}

template <typename T>
void split_loop(const void* const* inputs, void* mantissas, void* exponents, int64_t count) {
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* mantissa = static_cast<T*>(mantissas);
  auto* exponent = static_cast<int32_t*>(exponents);
  int64_t i = split_front(in, mantissa, exponent, count);
  CUPOLA_CPU_INDEPENDENT
  for (; i < count; ++i) {
    const SplitNumber<T> split(in[i]);
    mantissa[i] = split.mantissa;
    exponent[i] = static_cast<int32_t>(split.exponent);
  }
}

template <typename T>
void modf_loop(const void* const* inputs, void* fractions, void* integers, int64_t count) {
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* fraction = static_cast<T*>(fractions);
  auto* integer = static_cast<T*>(integers);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const T value = in[i];
    fraction[i] = modf_fraction(value);
    integer[i] = modf_integer(value);
  }
}

template <typename T>
void exponent_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<int32_t*>(output);
  int64_t i = split_front(in, static_cast<T*>(nullptr), out, count);
  CUPOLA_CPU_INDEPENDENT
  for (; i < count; ++i) {
    out[i] = static_cast<int32_t>(SplitNumber<T>(in[i]).exponent);
  }
}

// float64 holds every product before it is rounded, once.
[[gnu::always_inline]] inline float scaled(float value, int32_t exponent) {
  return static_cast<float>(value * bit_cast<double>(int64_t(exponent + 1023) << 52));
}
// By a change of the exponent; what gets subnormal is rounded once, by a product.
[[gnu::always_inline]] inline double scaled(double value, int32_t exponent) {
  constexpr int64_t kLeast = -1021, kMax = 1024;
  const SplitNumber<double> split(value);
  const int64_t power = split.exponent + exponent;
  const bool small = power < kLeast;
  const int64_t raised = small ? power + 300 : power;
  const int64_t lowest = raised < kLeast ? kLeast : raised;  // gives 0 after the product
  const int64_t bits = bit_cast<int64_t>(split.mantissa) & ~SplitNumber<double>::kExponents;
  const auto normal = bit_cast<double>(bits | ((lowest + 1022) << 52));
  const double result = normal * (small ? 0x1p-300 : 1.0);
  const double all = power > kMax ? copysign(infinity<double>(), value) : result;
  return split.is_split ? all : value;
}

template <typename T, typename Exponent>
void scale_loop(const void* const* inputs, void* output, int64_t count) {
  // Beyond this every value is zero or infinite already.
  constexpr Exponent kLimit = sizeof(T) == 4 ? 400 : 2200;
  const auto* in = static_cast<const T*>(inputs[0]);
  const auto* exponents = static_cast<const Exponent*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  int64_t i = scale_front(in, exponents, out, count);
  CUPOLA_CPU_INDEPENDENT
  for (; i < count; ++i) {
    Exponent exponent = exponents[i] > kLimit ? kLimit : exponents[i];
    exponent = exponent < -kLimit ? -kLimit : exponent;
    out[i] = scaled(in[i], static_cast<int32_t>(exponent));
  }
}

// nextafter(). Away from zero the bits without the sign are one more.
template <typename T>
void neighbour_loop(const void* const* inputs, void* output, int64_t count) {
  using Bits = unsigned_t<typename SplitNumber<T>::Bits>;
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const T from = a[i], to = b[i];
    const bool is_larger = (to > from) == (from > 0);
    const T next = bit_cast<T>(bit_cast<Bits>(from) + (is_larger ? Bits(1) : Bits(-1)));
    const T moved = from == 0 ? copysign(bit_cast<T>(Bits(1)), to) : next;
    const T result = from == to ? to : moved;
    out[i] = from == from && to == to ? result : from + to;
  }
}

// bits & kKept ^ kFlipped of 16-bit floats.
template <uint16_t kKept, uint16_t kFlipped>
void sign_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const uint16_t*>(inputs[0]);
  auto* out = static_cast<uint16_t*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<uint16_t>((in[i] & kKept) ^ kFlipped);
}

// As spacing() of float16: a power of two, which the exponent tells.
inline void half_spacing_loop(const void* const* inputs, void* output, int64_t count) {
  constexpr int32_t kInfinity = 0x7c00, kNan = 0x7e00;
  const auto* in = static_cast<const uint16_t*>(inputs[0]);
  auto* out = static_cast<uint16_t*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const int32_t size = in[i] & 0x7fff;
    // From below zero the next value upwards is the one of smaller size.
    const int32_t exponent = (size - (in[i] > 0x8000 ? 1 : 0)) >> 10;
    const int32_t step = exponent > 1 ? exponent : 1;
    int32_t result = step > 10 ? (step - 10) << 10 : 1 << (step - 1);
    result = in[i] == kInfinity - 1 ? kInfinity : result;
    out[i] = static_cast<uint16_t>(size >= kInfinity ? kNan : result);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
