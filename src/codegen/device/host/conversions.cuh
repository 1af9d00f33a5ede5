// CUDA's conversions of scalars, and the bits of numbers. What does not fit becomes the nearest
// value that does; a NaN becomes what PTX's cvt makes of it.
#ifndef CUPOLA_DEVICE_HOST_CONVERSIONS
#define CUPOLA_DEVICE_HOST_CONVERSIONS

#include "codegen/device/host/rounding.cuh"

namespace cupola_host {

template <Rounding R>
inline double whole(double value) {
  if constexpr (R == Rounding::nearest) return rint(value);
  if constexpr (R == Rounding::zero) return trunc(value);
  return R == Rounding::up ? ceil(value) : floor(value);
}

template <typename Int, Rounding R, typename Real>
inline Int to_integer(Real value) {
  constexpr int kBits = 8 * sizeof(Int);
  constexpr bool kIsSigned = Int(-1) < Int(0);
  constexpr Int kTopBit = static_cast<Int>(1ull << (kBits - 1));
  // A NaN: 0, but the top bit where either type has 64 bits.
  if (value != value) return sizeof(Real) == 8 || kBits == 64 ? kTopBit : Int(0);
  constexpr Int kLowest = kIsSigned ? kTopBit : Int(0);
  const double result = whole<R>(value);
  const double end = ldexp(1.0, kIsSigned ? kBits - 1 : kBits);
  if (result >= end) return static_cast<Int>(~kLowest);
  return result <= double(kLowest) ? kLowest : static_cast<Int>(result);
}

template <typename Real, Rounding R, typename Int>
inline Real from_integer(Int value) {
  const Real nearest = static_cast<Real>(value);
  const auto rest = static_cast<__int128>(value) - static_cast<__int128>(nearest);
  return rounded<R>(nearest, sign_of(rest));
}

}  // namespace cupola_host

#define CUPOLA_HOST_TO_INTEGER(REAL, NAME, INT, SUFFIX, DIRECTION)            \
  inline INT __##REAL##2##NAME##_##SUFFIX(REAL a) {                           \
    return cupola_host::to_integer<INT, cupola_host::Rounding::DIRECTION>(a); \
  }
#define CUPOLA_HOST_FROM_INTEGER(REAL, NAME, INT, SUFFIX, DIRECTION)             \
  inline REAL __##NAME##2##REAL##_##SUFFIX(INT a) {                              \
    return cupola_host::from_integer<REAL, cupola_host::Rounding::DIRECTION>(a); \
  }
#define CUPOLA_HOST_CONVERSIONS(REAL, NAME, INT, SUFFIX, DIRECTION) \
  CUPOLA_HOST_TO_INTEGER(REAL, NAME, INT, SUFFIX, DIRECTION)        \
  CUPOLA_HOST_FROM_INTEGER(REAL, NAME, INT, SUFFIX, DIRECTION)
// Integers of 32 bits are exact as double, for which CUDA has __int2double_rn alone.
#define CUPOLA_HOST_DIRECTION(SUFFIX, DIRECTION)                              \
  CUPOLA_HOST_CONVERSIONS(float, int, int, SUFFIX, DIRECTION)                 \
  CUPOLA_HOST_CONVERSIONS(float, uint, unsigned int, SUFFIX, DIRECTION)       \
  CUPOLA_HOST_CONVERSIONS(float, ll, long long, SUFFIX, DIRECTION)            \
  CUPOLA_HOST_CONVERSIONS(float, ull, unsigned long long, SUFFIX, DIRECTION)  \
  CUPOLA_HOST_TO_INTEGER(double, int, int, SUFFIX, DIRECTION)                 \
  CUPOLA_HOST_TO_INTEGER(double, uint, unsigned int, SUFFIX, DIRECTION)       \
  CUPOLA_HOST_CONVERSIONS(double, ll, long long, SUFFIX, DIRECTION)           \
  CUPOLA_HOST_CONVERSIONS(double, ull, unsigned long long, SUFFIX, DIRECTION) \
  inline float __double2float_##SUFFIX(double a) {                            \
    return cupola_host::to_float<cupola_host::Rounding::DIRECTION>(a, 0);     \
  }
CUPOLA_HOST_DIRECTION(rn, nearest)
CUPOLA_HOST_DIRECTION(rz, zero)
CUPOLA_HOST_DIRECTION(ru, up)
CUPOLA_HOST_DIRECTION(rd, down)
#undef CUPOLA_HOST_DIRECTION
#undef CUPOLA_HOST_CONVERSIONS
#undef CUPOLA_HOST_FROM_INTEGER
#undef CUPOLA_HOST_TO_INTEGER
inline double __int2double_rn(int a) { return a; }
inline double __uint2double_rn(unsigned int a) { return a; }

inline int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
inline unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
inline float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
inline float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
inline long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
inline double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
inline int __double2hiint(double a) { return static_cast<int>(__double_as_longlong(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(__double_as_longlong(a)); }
inline double __hiloint2double(int high, int low) {
  const auto bits = static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32;
  return __longlong_as_double(static_cast<long long>(bits | static_cast<unsigned int>(low)));
}

#endif
