// CUDA's functions about the normal distribution: normcdf, erfcx and the inverses.
#ifndef CUPOLA_DEVICE_HOST_NORMAL_DISTRIBUTION
#define CUPOLA_DEVICE_HOST_NORMAL_DISTRIBUTION

namespace cupola_host {

// With the coefficient of the highest power first.
template <int N>
inline double polynomial(const double (&coefficients)[N], double a) {
  double value = coefficients[0];
  for (int k = 1; k < N; ++k) value = value * a + coefficients[k];
  return value;
}

// Wichura 1988, AS 241 (PPND16): where the normal distribution has `tail` beyond, on the side of
// the sign of `middle`, which is the probability less one half.
inline double normal_quantile(double middle, double tail) {
  constexpr double kMiddle[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4,
                                6.7265770927008700853e+4, 4.5921953931549871457e+4,
                                1.3731693765509461125e+4, 1.9715909503065514427e+3,
                                1.3314166789178437745e+2, 3.3871328727963666080e+0};
  constexpr double kMiddleBelow[] = {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                                     3.9307895800092710610e+4, 2.1213794301586595867e+4,
                                     5.3941960214247511077e+3, 6.8718700749205790830e+2,
                                     4.2313330701600911252e+1, 1.0};
  constexpr double kTail[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                              2.41780725177450611770e-1, 1.27045825245236838258e+0,
                              3.64784832476320460504e+0, 5.76949722146069140550e+0,
                              4.63033784615654529590e+0, 1.42343711074968357734e+0};
  constexpr double kTailBelow[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                   1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                   6.89767334985100004550e-1, 1.67638483018380384940e+0,
                                   2.05319162663775882187e+0, 1.0};
  constexpr double kFar[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                             1.24266094738807843860e-3, 2.65321895265761230930e-2,
                             2.96560571828504891230e-1, 1.78482653991729133580e+0,
                             5.46378491116411436990e+0, 6.65790464350110377720e+0};
  constexpr double kFarBelow[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                  1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                  1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                  5.99832206555887937690e-1,  1.0};
  if (fabs(middle) <= 0.425) {
    const double r = 0.180625 - middle * middle;
    return middle * polynomial(kMiddle, r) / polynomial(kMiddleBelow, r);
  }
  if (tail == 0) return copysign(double(INFINITY), middle);
  const double r = sqrt(-log(tail));
  const double size = r <= 5 ? polynomial(kTail, r - 1.6) / polynomial(kTailBelow, r - 1.6)
                             : polynomial(kFar, r - 5) / polynomial(kFarBelow, r - 5);
  return copysign(size, middle);
}

constexpr double kRootOfHalf = 0.70710678118654752440;

}  // namespace cupola_host

inline double normcdfinv(double a) {
  if (!(a >= 0 && a <= 1)) return NAN;
  return cupola_host::normal_quantile(a - 0.5, a < 0.5 ? a : 1 - a);
}
inline double erfinv(double a) {
  if (!(fabs(a) <= 1)) return NAN;
  return cupola_host::kRootOfHalf * cupola_host::normal_quantile(a / 2, (1 - fabs(a)) / 2);
}
inline double erfcinv(double a) {
  if (!(a >= 0 && a <= 2)) return NAN;
  const double tail = a < 1 ? a / 2 : (2 - a) / 2;
  return cupola_host::kRootOfHalf * cupola_host::normal_quantile((1 - a) / 2, tail);
}

// By its definition where exp and erfc are in range, with the rest of a * a; beyond that the
// asymptotic series (Abramowitz and Stegun 7.1.23).
inline double erfcx(double a) {
  const double square = a * a;
  if (a < 25) {
    const double tail = erfc(a), value = exp(square) * tail;
    return isinf(value) ? value : value + value * fma(a, a, -square);
  }
  const double x = 0.5 / square;
  double sum = 1;
  for (int k = 13; k > 0; k -= 2) sum = 1 - k * x * sum;
  return 0.56418958354775628695 / a * sum;
}

// erfc's argument has a rounding error, to which it is sensitive far out.
inline double normcdf(double a) {
  const double x = -a * cupola_host::kRootOfHalf, value = 0.5 * erfc(x);
  if (!(x > 1) || value == 0) return value;
  const double rest = fma(-a, cupola_host::kRootOfHalf, -x) + a * 4.8336466567264565e-17;
  return value - value * rest * 1.1283791670955125739 / erfcx(x);
}

inline float normcdff(float a) { return static_cast<float>(normcdf(double(a))); }
inline float normcdfinvf(float a) { return static_cast<float>(normcdfinv(double(a))); }
inline float erfinvf(float a) { return static_cast<float>(erfinv(double(a))); }
inline float erfcinvf(float a) { return static_cast<float>(erfcinv(double(a))); }
inline float erfcxf(float a) { return static_cast<float>(erfcx(double(a))); }
inline float normcdf(float a) { return normcdff(a); }
inline float normcdfinv(float a) { return normcdfinvf(a); }
inline float erfinv(float a) { return erfinvf(a); }
inline float erfcinv(float a) { return erfcinvf(a); }
inline float erfcx(float a) { return erfcxf(a); }

#endif
