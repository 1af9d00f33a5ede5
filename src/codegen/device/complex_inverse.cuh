// Inverse trigonometric and hyperbolic functions of complex numbers, accurate near the branch
// points. After T. E. Hull, T. F. Fairgrieve and P. T. P. Tang, "Implementing the complex arcsine
// and arccosine functions using exception handling", ACM TOMS 23(3), 1997.
#ifndef CUPOLA_DEVICE_COMPLEX_INVERSE
#define CUPOLA_DEVICE_COMPLEX_INVERSE

#ifndef __CUDACC_RTC__
#include "codegen/device/complex_trigonometric.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

inline constexpr double kInverseTiny = 0x1p-28;  // the next term of the series is below rounding
inline constexpr double kInverseHuge = 0x1p54;   // 1 is below rounding beside it

// For x, y >= 0 with z = x + iy neither tiny nor huge: arcsin(z) is arctan2(x, opposite) + i size,
// arccos(z) is arctan2(opposite, x) - i size.
struct InverseSine {
  double opposite;
  double size;
};

CUPOLA_FN InverseSine inverse_sine(double x, double y) {
  const double to_minus_one = hypot(x + 1.0, y);
  const double to_one = hypot(x - 1.0, y);
  const double mean = 0.5 * (to_minus_one + to_one);
  // Both distances less their real parts, without cancellation.
  const double beyond = y * y / (to_minus_one + (x + 1.0));
  const double inside = to_one + (1.0 - x);
  InverseSine result;
  if (x <= 1.0) {
    result.opposite = sqrt(0.5 * (mean + x) * (beyond + inside));
  } else {
    const double sum = 1.0 / (to_minus_one + (x + 1.0)) + 1.0 / (to_one + (x - 1.0));
    result.opposite = y * sqrt(0.5 * (mean + x) * sum);
  }
  if (mean > 1.5) {
    result.size = log(mean + sqrt(mean * mean - 1.0));
  } else if (x < 1.0 && y <= 0x1p-53 * (1.0 - x)) {
    result.size = y / sqrt((1.0 - x) * (1.0 + x));
  } else if (x == 1.0 && y < 0x1p-500) {
    result.size = sqrt(y);
  } else {
    const double excess = 0.5 * (beyond + (x < 1.0 ? y * y / inside : to_one + (x - 1.0)));
    result.size = log1p(excess + sqrt(excess * (mean + 1.0)));
  }
  return result;
}

CUPOLA_FN complex128 arcsin_of_nan(complex128 a) {
  if (isinf(a.im)) return {quiet_nan<double>(), a.im};
  if (isinf(a.re)) return {quiet_nan<double>(), infinity<double>()};
  return {a.re == 0.0 ? a.re : quiet_nan<double>(), quiet_nan<double>()};
}

CUPOLA_FN complex128 arcsin(complex128 a) {
  if (isnan(a)) return arcsin_of_nan(a);
  const double x = absolute(a.re);
  const double y = absolute(a.im);
  const double larger = maximum(x, y);
  if (larger < kInverseTiny) return a;
  if (larger > kInverseHuge) {
    return {copysign(arctan2(x, y), a.re), copysign(log_hypot(x, y) + kLn2, a.im)};
  }
  const InverseSine parts = inverse_sine(x, y);
  return {copysign(arctan2(x, parts.opposite), a.re), copysign(parts.size, a.im)};
}

CUPOLA_FN complex128 arccos(complex128 a) {
  if (isnan(a)) {
    if (isinf(a.re)) return {quiet_nan<double>(), -infinity<double>()};
    if (isinf(a.im)) return {quiet_nan<double>(), -a.im};
    return {a.re == 0.0 ? 0.5 * kPi : quiet_nan<double>(), quiet_nan<double>()};
  }
  const double x = absolute(a.re);
  const double y = absolute(a.im);
  const double larger = maximum(x, y);
  if (larger < kInverseTiny) return {0.5 * kPi - a.re, -a.im};
  if (larger > kInverseHuge) {
    return {arctan2(y, a.re), copysign(log_hypot(x, y) + kLn2, -a.im)};
  }
  const InverseSine parts = inverse_sine(x, y);
  return {arctan2(parts.opposite, a.re), copysign(parts.size, -a.im)};
}

CUPOLA_FN complex128 arcsinh(complex128 a) {
  const complex128 turned = arcsin(complex128{a.im, a.re});
  return {turned.im, turned.re};
}

CUPOLA_FN complex128 arccosh(complex128 a) {
  const complex128 angle = arccos(a);
  if (isnan(angle.re)) return {absolute(angle.im), angle.re};
  if (isnan(angle.im)) return {angle.im, isnan(a.re) || a.re != 0.0 ? angle.im : angle.re};
  return {absolute(angle.im), copysign(angle.re, a.im)};
}

// The real part of 1 / (x + iy), far from zero.
CUPOLA_FN double reciprocal_real(double x, double y) {
  if (isinf(x) || isinf(y)) return copysign(0.0, x);
  const double scale = maximum(absolute(x), absolute(y)) > 0x1p500 ? 0x1p-600 : 1.0;
  const double u = x * scale;
  const double v = y * scale;
  return u / (u * u + v * v) * scale;
}

CUPOLA_FN complex128 arctanh_of_nan(complex128 a) {
  if (isinf(a.im)) return {copysign(0.0, a.re), copysign(0.5 * kPi, a.im)};
  if (isinf(a.re) || a.re == 0.0) return {copysign(0.0, a.re), quiet_nan<double>()};
  return {quiet_nan<double>(), quiet_nan<double>()};
}

CUPOLA_FN complex128 arctanh(complex128 a) {
  if (isnan(a)) return arctanh_of_nan(a);
  const double x = absolute(a.re);
  const double y = absolute(a.im);
  if (y == 0.0 && x <= 1.0) return {arctanh(a.re), a.im};
  if (x == 0.0) return {a.re, arctan(a.im)};
  const double larger = maximum(x, y);
  if (larger > kInverseHuge) return {reciprocal_real(a.re, a.im), copysign(0.5 * kPi, a.im)};
  if (larger < kInverseTiny) return a;
  const double gap = 1.0 - x;
  double re;
  if (x == 1.0 && y < 0x1p-53) {
    re = 0.5 * (kLn2 - log(y));
  } else {
    re = 0.25 * log1p(4.0 * x / (gap * gap + y * y));
  }
  const double im = 0.5 * arctan2(2.0 * y, gap * (1.0 + x) - y * y);
  return {copysign(re, a.re), copysign(im, a.im)};
}

CUPOLA_FN complex128 arctan(complex128 a) {
  const complex128 turned = arctanh(complex128{a.im, a.re});
  return {turned.im, turned.re};
}

CUPOLA_COMPLEX64_FUNCTION(arcsin)
CUPOLA_COMPLEX64_FUNCTION(arccos)
CUPOLA_COMPLEX64_FUNCTION(arctan)
CUPOLA_COMPLEX64_FUNCTION(arcsinh)
CUPOLA_COMPLEX64_FUNCTION(arccosh)
CUPOLA_COMPLEX64_FUNCTION(arctanh)

#undef CUPOLA_COMPLEX64_FUNCTION

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
