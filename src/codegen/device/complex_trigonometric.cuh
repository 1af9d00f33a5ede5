// Trigonometric and hyperbolic functions of complex numbers, with the special values of C99
// Annex G. sin, cos and tan are the hyperbolic ones a quarter turn further.
#ifndef CUPOLA_DEVICE_COMPLEX_TRIGONOMETRIC
#define CUPOLA_DEVICE_COMPLEX_TRIGONOMETRIC

#ifndef __CUDACC_RTC__
#include "codegen/device/complex_exponential.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

CUPOLA_FN complex128 sinh(complex128 a) {
  if (a.im == 0.0) return {sinh(a.re), a.im};
  if (!isfinite(a.im)) {
    if (a.re == 0.0) return {a.re, quiet_nan<double>()};
    return {isinf(a.re) ? infinity<double>() : quiet_nan<double>(), quiet_nan<double>()};
  }
  if (a.re == 0.0) return {a.re * cos(a.im), sin(a.im)};
  const double size = absolute(a.re);
  if (size < 22.0) return {sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im)};
  return {scaled_exp(size, copysign(0.5, a.re), cos(a.im)), scaled_exp(size, 0.5, sin(a.im))};
}

CUPOLA_FN complex128 cosh(complex128 a) {
  if (a.im == 0.0) return {cosh(a.re), isnan(a.re) ? a.im : copysign(0.0, a.re) * a.im};
  if (!isfinite(a.im)) {
    if (a.re == 0.0) return {quiet_nan<double>(), 0.0};
    return {isinf(a.re) ? infinity<double>() : quiet_nan<double>(), quiet_nan<double>()};
  }
  if (a.re == 0.0) return {cos(a.im), a.re * sin(a.im)};
  const double size = absolute(a.re);
  if (size < 22.0) return {cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im)};
  return {scaled_exp(size, 0.5, cos(a.im)), scaled_exp(size, copysign(0.5, a.re), sin(a.im))};
}

// W. Kahan, "Branch cuts for complex elementary functions", 1987.
CUPOLA_FN complex128 tanh(complex128 a) {
  if (isinf(a.re)) {
    const double turn = isfinite(a.im) ? sin(a.im) * cos(a.im) : a.im;
    return {copysign(1.0, a.re), copysign(0.0, turn)};
  }
  if (a.im == 0.0) return {tanh(a.re), a.im};
  if (!isfinite(a.im)) return {a.re == 0.0 ? a.re : quiet_nan<double>(), quiet_nan<double>()};
  if (absolute(a.re) >= 22.0) {
    const double small = exp(-absolute(a.re));
    return {copysign(1.0, a.re), 4.0 * sin(a.im) * cos(a.im) * small * small};
  }
  const double t = tan(a.im);
  const double beta = 1.0 + t * t;
  const double s = sinh(a.re);
  const double rho = sqrt(1.0 + s * s);
  const double divisor = 1.0 + beta * s * s;
  return {beta * rho * s / divisor, t / divisor};
}

CUPOLA_FN complex128 sin(complex128 a) {
  const complex128 turned = sinh(complex128{a.im, a.re});
  return {turned.im, turned.re};
}
CUPOLA_FN complex128 cos(complex128 a) { return cosh(complex128{-a.im, a.re}); }
CUPOLA_FN complex128 tan(complex128 a) {
  const complex128 turned = tanh(complex128{a.im, a.re});
  return {turned.im, turned.re};
}

CUPOLA_COMPLEX64_FUNCTION(sinh)
CUPOLA_COMPLEX64_FUNCTION(cosh)
CUPOLA_COMPLEX64_FUNCTION(tanh)
CUPOLA_COMPLEX64_FUNCTION(sin)
CUPOLA_COMPLEX64_FUNCTION(cos)
CUPOLA_COMPLEX64_FUNCTION(tan)

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
