// complex<T> for the bodies of users' kernels, with thrust's interface as CuPy's programs use it
// and NumPy's values. thrust::complex names it too.
#ifndef CUPOLA_DEVICE_USER_COMPLEX
#define CUPOLA_DEVICE_USER_COMPLEX

#include "codegen/device/device.cuh"
#include "codegen/device/user_arrays.cuh"

namespace cupola_user {

template <typename T>
class complex {
 public:
  using value_type = T;
  complex() = default;
  CUPOLA_USER_FN complex(T re, T im = T()) : value_{re, im} {}
  CUPOLA_USER_FN complex(cupola_device::complex<T> value) : value_(value) {}
  template <typename U>
  CUPOLA_USER_FN complex(const complex<U>& other)
      : value_{static_cast<T>(other.real()), static_cast<T>(other.imag())} {}
  CUPOLA_USER_FN operator cupola_device::complex<T>() const { return value_; }
  CUPOLA_USER_FN T real() const { return value_.re; }
  CUPOLA_USER_FN T imag() const { return value_.im; }
  CUPOLA_USER_FN void real(T part) { value_.re = part; }
  CUPOLA_USER_FN void imag(T part) { value_.im = part; }
  CUPOLA_USER_FN complex& operator+=(const complex& b) { return *this = *this + b; }
  CUPOLA_USER_FN complex& operator-=(const complex& b) { return *this = *this - b; }
  CUPOLA_USER_FN complex& operator*=(const complex& b) { return *this = *this * b; }
  CUPOLA_USER_FN complex& operator/=(const complex& b) { return *this = *this / b; }

  // Found by their argument, so that a number of another type becomes complex on either side.
  friend CUPOLA_USER_FN complex operator+(const complex& a, const complex& b) {
    return cupola_device::add(a.value_, b.value_);
  }
  friend CUPOLA_USER_FN complex operator-(const complex& a, const complex& b) {
    return cupola_device::subtract(a.value_, b.value_);
  }
  friend CUPOLA_USER_FN complex operator*(const complex& a, const complex& b) {
    return cupola_device::multiply(a.value_, b.value_);
  }
  friend CUPOLA_USER_FN complex operator/(const complex& a, const complex& b) {
    return cupola_device::divide(a.value_, b.value_);
  }
  friend CUPOLA_USER_FN bool operator==(const complex& a, const complex& b) {
    return cupola_device::equal(a.value_, b.value_);
  }
  friend CUPOLA_USER_FN bool operator<(const complex& a, const complex& b) {
    return cupola_device::less(a.value_, b.value_);
  }
  friend CUPOLA_USER_FN bool operator<=(const complex& a, const complex& b) {
    return cupola_device::less_equal(a.value_, b.value_);
  }
  friend CUPOLA_USER_FN bool operator>(const complex& a, const complex& b) { return b < a; }
  friend CUPOLA_USER_FN bool operator>=(const complex& a, const complex& b) { return b <= a; }
  friend CUPOLA_USER_FN complex operator+(const complex& a) { return a; }
  friend CUPOLA_USER_FN complex operator-(const complex& a) {
    return cupola_device::negative(a.value_);
  }
  friend CUPOLA_USER_FN complex pow(const complex& a, const complex& b) {
    return cupola_device::power(a.value_, b.value_);
  }

 private:
  cupola_device::complex<T> value_;
};

template <typename T>
CUPOLA_USER_FN T real(const complex<T>& a) {
  return a.real();
}
template <typename T>
CUPOLA_USER_FN T imag(const complex<T>& a) {
  return a.imag();
}
template <typename T>
CUPOLA_USER_FN T abs(const complex<T>& a) {
  return cupola_device::absolute(cupola_device::complex<T>(a));
}
template <typename T>
CUPOLA_USER_FN T arg(const complex<T>& a) {
  return cupola_device::arctan2(a.imag(), a.real());
}
template <typename T>
CUPOLA_USER_FN T norm(const complex<T>& a) {
  return a.real() * a.real() + a.imag() * a.imag();
}
template <typename T>
CUPOLA_USER_FN complex<T> polar(T radius, T angle = T()) {
  return {radius * cupola_device::cos(angle), radius * cupola_device::sin(angle)};
}
template <typename T>
CUPOLA_USER_FN bool isnan(const complex<T>& a) {
  return cupola_device::isnan(cupola_device::complex<T>(a));
}
template <typename T>
CUPOLA_USER_FN bool isinf(const complex<T>& a) {
  return cupola_device::isinf(cupola_device::complex<T>(a));
}
template <typename T>
CUPOLA_USER_FN bool isfinite(const complex<T>& a) {
  return cupola_device::isfinite(cupola_device::complex<T>(a));
}
template <typename T>
CUPOLA_USER_FN complex<T> min(const complex<T>& a, const complex<T>& b) {
  return cupola_device::minimum(cupola_device::complex<T>(a), cupola_device::complex<T>(b));
}
template <typename T>
CUPOLA_USER_FN complex<T> max(const complex<T>& a, const complex<T>& b) {
  return cupola_device::maximum(cupola_device::complex<T>(a), cupola_device::complex<T>(b));
}

#define CUPOLA_USER_COMPLEX_FUNCTION(NAME, OURS)              \
  template <typename T>                                       \
  CUPOLA_USER_FN complex<T> NAME(const complex<T>& a) {       \
    return cupola_device::OURS(cupola_device::complex<T>(a)); \
  }
CUPOLA_USER_COMPLEX_FUNCTION(conj, conjugate)
CUPOLA_USER_COMPLEX_FUNCTION(exp, exp)
CUPOLA_USER_COMPLEX_FUNCTION(exp2, exp2)
CUPOLA_USER_COMPLEX_FUNCTION(expm1, expm1)
CUPOLA_USER_COMPLEX_FUNCTION(log, log)
CUPOLA_USER_COMPLEX_FUNCTION(log2, log2)
CUPOLA_USER_COMPLEX_FUNCTION(log10, log10)
CUPOLA_USER_COMPLEX_FUNCTION(log1p, log1p)
CUPOLA_USER_COMPLEX_FUNCTION(sqrt, sqrt)
CUPOLA_USER_COMPLEX_FUNCTION(sin, sin)
CUPOLA_USER_COMPLEX_FUNCTION(cos, cos)
CUPOLA_USER_COMPLEX_FUNCTION(tan, tan)
CUPOLA_USER_COMPLEX_FUNCTION(sinh, sinh)
CUPOLA_USER_COMPLEX_FUNCTION(cosh, cosh)
CUPOLA_USER_COMPLEX_FUNCTION(tanh, tanh)
CUPOLA_USER_COMPLEX_FUNCTION(asin, arcsin)
CUPOLA_USER_COMPLEX_FUNCTION(acos, arccos)
CUPOLA_USER_COMPLEX_FUNCTION(atan, arctan)
CUPOLA_USER_COMPLEX_FUNCTION(asinh, arcsinh)
CUPOLA_USER_COMPLEX_FUNCTION(acosh, arccosh)
CUPOLA_USER_COMPLEX_FUNCTION(atanh, arctanh)
#undef CUPOLA_USER_COMPLEX_FUNCTION

}  // namespace cupola_user

using cupola_user::arg;
using cupola_user::complex;
using cupola_user::conj;
using cupola_user::imag;
using cupola_user::norm;
using cupola_user::polar;
using cupola_user::real;
namespace thrust {
using namespace cupola_user;
}

#endif
