// 16-bit floats for the bodies of users' kernels: values that convert to float and back.
#ifndef CUPOLA_DEVICE_USER_HALF
#define CUPOLA_DEVICE_USER_HALF

#include "codegen/device/half.cuh"
#include "codegen/device/user_arrays.cuh"

namespace cupola_user {

template <typename Bits>
class HalfNumber {
 public:
  HalfNumber() = default;
  CUPOLA_USER_FN HalfNumber(float value) : bits_(rounded(value, Bits{})) {}
  CUPOLA_USER_FN HalfNumber(double value) : bits_(rounded(value, Bits{})) {}
  CUPOLA_USER_FN HalfNumber(bool value) : HalfNumber(static_cast<float>(value)) {}
  CUPOLA_USER_FN HalfNumber(int value) : HalfNumber(static_cast<float>(value)) {}
  CUPOLA_USER_FN HalfNumber(unsigned int value) : HalfNumber(static_cast<float>(value)) {}
  CUPOLA_USER_FN HalfNumber(long value) : HalfNumber(static_cast<float>(value)) {}
  CUPOLA_USER_FN HalfNumber(unsigned long value) : HalfNumber(static_cast<float>(value)) {}
  CUPOLA_USER_FN HalfNumber(long long value) : HalfNumber(static_cast<float>(value)) {}
  CUPOLA_USER_FN HalfNumber(unsigned long long value) : HalfNumber(static_cast<float>(value)) {}
  CUPOLA_USER_FN operator float() const { return cupola_device::to_float(bits_); }
  CUPOLA_USER_FN HalfNumber& operator+=(float other) { return *this = float(*this) + other; }
  CUPOLA_USER_FN HalfNumber& operator-=(float other) { return *this = float(*this) - other; }
  CUPOLA_USER_FN HalfNumber& operator*=(float other) { return *this = float(*this) * other; }
  CUPOLA_USER_FN HalfNumber& operator/=(float other) { return *this = float(*this) / other; }

 private:
  template <typename Real>
  static CUPOLA_USER_FN cupola_device::float16 rounded(Real value, cupola_device::float16) {
    return cupola_device::to_float16(value);
  }
  template <typename Real>
  static CUPOLA_USER_FN cupola_device::bfloat16 rounded(Real value, cupola_device::bfloat16) {
    return cupola_device::to_bfloat16(value);
  }
  Bits bits_;
};

using float16 = HalfNumber<cupola_device::float16>;
using bfloat16 = HalfNumber<cupola_device::bfloat16>;

// Two of them would fit several overloads of the language's own functions equally well.
template <typename Bits>
CUPOLA_USER_FN HalfNumber<Bits> min(HalfNumber<Bits> a, HalfNumber<Bits> b) {
  return float(b) < float(a) ? b : a;
}
template <typename Bits>
CUPOLA_USER_FN HalfNumber<Bits> max(HalfNumber<Bits> a, HalfNumber<Bits> b) {
  return float(a) < float(b) ? b : a;
}
template <typename Bits>
CUPOLA_USER_FN bool isnan(HalfNumber<Bits> a) {
  return float(a) != float(a);
}
template <typename Bits>
CUPOLA_USER_FN bool isinf(HalfNumber<Bits> a) {
  return float(a) - float(a) != 0.0f && !isnan(a);
}
template <typename Bits>
CUPOLA_USER_FN bool isfinite(HalfNumber<Bits> a) {
  return float(a) - float(a) == 0.0f;
}

// As CUDA's functions of float: other overloads would fit as well.
#define CUPOLA_USER_HALF_FUNCTION(NAME)                          \
  template <typename Bits>                                       \
  CUPOLA_USER_FN HalfNumber<Bits> NAME(HalfNumber<Bits> value) { \
    return ::NAME##f(float(value));                              \
  }
CUPOLA_USER_HALF_FUNCTION(exp)
CUPOLA_USER_HALF_FUNCTION(exp2)
CUPOLA_USER_HALF_FUNCTION(expm1)
CUPOLA_USER_HALF_FUNCTION(log)
CUPOLA_USER_HALF_FUNCTION(log2)
CUPOLA_USER_HALF_FUNCTION(log10)
CUPOLA_USER_HALF_FUNCTION(log1p)
CUPOLA_USER_HALF_FUNCTION(sqrt)
CUPOLA_USER_HALF_FUNCTION(cbrt)
CUPOLA_USER_HALF_FUNCTION(fabs)
CUPOLA_USER_HALF_FUNCTION(floor)
CUPOLA_USER_HALF_FUNCTION(ceil)
CUPOLA_USER_HALF_FUNCTION(trunc)
CUPOLA_USER_HALF_FUNCTION(rint)
CUPOLA_USER_HALF_FUNCTION(round)
CUPOLA_USER_HALF_FUNCTION(sin)
CUPOLA_USER_HALF_FUNCTION(cos)
CUPOLA_USER_HALF_FUNCTION(tan)
CUPOLA_USER_HALF_FUNCTION(asin)
CUPOLA_USER_HALF_FUNCTION(acos)
CUPOLA_USER_HALF_FUNCTION(atan)
CUPOLA_USER_HALF_FUNCTION(sinh)
CUPOLA_USER_HALF_FUNCTION(cosh)
CUPOLA_USER_HALF_FUNCTION(tanh)
CUPOLA_USER_HALF_FUNCTION(erf)
CUPOLA_USER_HALF_FUNCTION(erfc)
#undef CUPOLA_USER_HALF_FUNCTION

template <typename Bits>
CUPOLA_USER_FN HalfNumber<Bits> abs(HalfNumber<Bits> value) {
  return ::fabsf(float(value));
}
template <typename Bits>
CUPOLA_USER_FN HalfNumber<Bits> pow(HalfNumber<Bits> a, HalfNumber<Bits> b) {
  return ::powf(float(a), float(b));
}

}  // namespace cupola_user

using cupola_user::bfloat16;
using cupola_user::float16;

#endif
