// cast<To>(value): NumPy's astype between any two of the types. A real number that an integer
// cannot hold gives what x86 gives, on every platform.
#ifndef CUPOLA_DEVICE_CAST
#define CUPOLA_DEVICE_CAST

#ifndef __CUDACC_RTC__
#include "codegen/device/half.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// The truncated value, or the lowest one if Target (int32_t or int64_t) cannot hold it.
template <SignedInteger Target, Real From>
CUPOLA_FN Target truncate_to(From value) {
  constexpr From kEnd = sizeof(Target) == 8 ? From(0x1p63) : From(0x1p31);
  // Just below -kEnd the truncated value would fit, but it is the lowest one as well.
  if (!(value >= -kEnd && value < kEnd)) return lowest_value<Target>();
  return static_cast<Target>(value);
}

template <Integer To, Real From>
CUPOLA_FN To real_to_integer(From value) {
  if constexpr (is_same<To, uint64_t>) {
    if (value >= From(0x1p64)) return 0;
    if (value >= From(0x1p63)) return static_cast<uint64_t>(value);
    return static_cast<uint64_t>(truncate_to<int64_t>(value));
  } else if constexpr (sizeof(To) == 8 || is_same<To, uint32_t>) {
    return static_cast<To>(truncate_to<int64_t>(value));
  } else {
    return static_cast<To>(truncate_to<int32_t>(value));
  }
}

template <typename To, typename From>
CUPOLA_FN To cast(From value) {
  if constexpr (is_same<To, From>) {
    return value;
  } else if constexpr (is_half<From>) {
    return cast<To>(to_float(value));
  } else if constexpr (Bool<To>) {
    if constexpr (is_complex<From>) {
      return value.re != 0 || value.im != 0;
    } else {
      return value != From(0);
    }
  } else if constexpr (is_complex<To>) {
    using Part = decltype(To{}.re);
    if constexpr (is_complex<From>) {
      return To{static_cast<Part>(value.re), static_cast<Part>(value.im)};
    } else {
      return To{static_cast<Part>(value), Part(0)};
    }
  } else if constexpr (is_complex<From>) {
    return cast<To>(value.re);
  } else if constexpr (is_half<To> && !Real<From>) {
    return cast<To>(static_cast<float>(value));
  } else if constexpr (is_same<To, float16>) {
    return to_float16(value);
  } else if constexpr (is_same<To, bfloat16>) {
    return to_bfloat16(value);
  } else if constexpr (Real<From> && Integer<To>) {
    return real_to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// A stored value in the type that it is computed in.
template <typename T>
CUPOLA_FN compute_t<T> widen(T value) {
  return cast<compute_t<T>>(value);
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
