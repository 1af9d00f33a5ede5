// Scalar types and helpers of the shared device math. The headers of this folder are compiled
// three ways: by the host compiler for the CPU loops, by nvcc, and by NVRTC as text in front of a
// generated kernel, in the order of device.cuh and without includes (C++20, --minimal).
//
// Everything lives in CUPOLA_DEVICE_NAMESPACE; a translation unit built for another instruction
// set defines it differently. Expressions of opdefs/ufuncs.def are compiled inside it.
#ifndef CUPOLA_DEVICE_TYPES
#define CUPOLA_DEVICE_TYPES

#ifndef CUPOLA_DEVICE_NAMESPACE
#define CUPOLA_DEVICE_NAMESPACE cupola_device
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define CUPOLA_FN [[maybe_unused]] static __device__ __forceinline__
#else
#define CUPOLA_FN [[maybe_unused]] static inline
#endif

#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdint.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
#endif

// Storage types of 16-bit floats; arithmetic happens in float.
struct float16 {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};

// Laid out as std::complex.
template <typename T>
struct complex {
  T re;
  T im;
};
using complex64 = complex<float>;
using complex128 = complex<double>;

template <typename A, typename B>
inline constexpr bool is_same = false;
template <typename A>
inline constexpr bool is_same<A, A> = true;

template <typename T>
inline constexpr bool is_complex = is_same<T, complex64> || is_same<T, complex128>;
template <typename T>
inline constexpr bool is_half = is_same<T, float16> || is_same<T, bfloat16>;

template <typename T>
concept Bool = is_same<T, bool>;
template <typename T>
concept SignedInteger =
    is_same<T, int8_t> || is_same<T, int16_t> || is_same<T, int32_t> || is_same<T, int64_t>;
template <typename T>
concept UnsignedInteger =
    is_same<T, uint8_t> || is_same<T, uint16_t> || is_same<T, uint32_t> || is_same<T, uint64_t>;
template <typename T>
concept Integer = SignedInteger<T> || UnsignedInteger<T>;
template <typename T>
concept Half = is_half<T>;
template <typename T>
concept Real = is_same<T, float> || is_same<T, double>;
template <typename T>
concept BoolOrInteger = Bool<T> || Integer<T>;
template <typename T>
concept NotComplex = BoolOrInteger<T> || Real<T>;

template <bool Condition, typename A, typename B>
struct select_type {
  using type = A;
};
template <typename A, typename B>
struct select_type<false, A, B> {
  using type = B;
};
template <bool Condition, typename A, typename B>
using select_t = typename select_type<Condition, A, B>::type;

// An unsigned type that is at least as wide as T and that C++ does not promote to int.
template <typename T>
using wrap_t = select_t<sizeof(T) == 8, uint64_t, uint32_t>;
// The unsigned type as wide as T: of an integer, or for the bits of a real number.
template <typename T>
using unsigned_t = select_t<
    sizeof(T) == 8, uint64_t,
    select_t<sizeof(T) == 4, uint32_t, select_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

// The type in which a stored T is computed.
template <typename T>
using compute_t = select_t<is_half<T>, float, T>;

template <typename To, typename From>
CUPOLA_FN To bit_cast(From value) {
  return __builtin_bit_cast(To, value);
}

template <Real T>
CUPOLA_FN T infinity() {
  return static_cast<T>(bit_cast<float>(uint32_t(0x7F800000)));
}
template <Real T>
CUPOLA_FN T quiet_nan() {
  return static_cast<T>(bit_cast<float>(uint32_t(0x7FC00000)));
}

template <Integer T>
CUPOLA_FN bool is_negative(T a) {
  if constexpr (SignedInteger<T>) {
    return a < 0;
  } else {
    return false;
  }
}

// The extreme values of a type that is computed with: where a minimum or maximum starts.
template <NotComplex T>
CUPOLA_FN T lowest_value() {
  if constexpr (Real<T>) {
    return -infinity<T>();
  } else if constexpr (SignedInteger<T>) {
    return static_cast<T>(wrap_t<T>(1) << (8 * sizeof(T) - 1));
  } else {
    return T(0);
  }
}
template <NotComplex T>
CUPOLA_FN T highest_value() {
  if constexpr (Real<T>) {
    return infinity<T>();
  } else if constexpr (Bool<T>) {
    return true;
  } else {
    return static_cast<T>(~lowest_value<T>());
  }
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
