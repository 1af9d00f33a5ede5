// CUDA's Bessel functions: J and Y are the C library's, modified ones are series.
#ifndef CUPOLA_DEVICE_HOST_BESSEL
#define CUPOLA_DEVICE_HOST_BESSEL

namespace cupola_host {

// I of order 0 or 1: the power series of positive terms (Abramowitz and Stegun 9.6.10), or far out
// the asymptotic one (9.7.1). Of the latter e to the half argument comes twice, so that it
// overflows only where the result does.
template <int Order>
inline double modified_bessel(double a) {
  const double size = fabs(a);
  if (!(size < INFINITY)) return Order == 0 ? size : a;
  constexpr double kSmallest = 1e-20;
  long double sum = 1, term = 1;
  double value;
  if (size < 22) {
    const long double square = static_cast<long double>(size) * size / 4;
    for (int k = 1; term > sum * kSmallest; ++k) sum += term *= square / (k * (k + Order));
    value = static_cast<double>(Order == 0 ? sum : sum * size / 2);
  } else {
    for (int k = 1; fabsl(term) > kSmallest && k < 60; ++k) {
      sum += term *=
          ((2 * k - 1) * (2 * k - 1) - 4 * Order) / (8 * k * static_cast<long double>(size));
    }
    const double half = exp(size / 2);
    value = half * static_cast<double>(sum / sqrtl(6.28318530717958647693L * size)) * half;
  }
  return Order == 1 && a < 0 ? -value : value;
}

}  // namespace cupola_host

inline double cyl_bessel_i0(double a) { return cupola_host::modified_bessel<0>(a); }
inline double cyl_bessel_i1(double a) { return cupola_host::modified_bessel<1>(a); }
inline float cyl_bessel_i0f(float a) { return static_cast<float>(cyl_bessel_i0(double(a))); }
inline float cyl_bessel_i1f(float a) { return static_cast<float>(cyl_bessel_i1(double(a))); }

inline float j0(float a) { return j0f(a); }
inline float j1(float a) { return j1f(a); }
inline float jn(int order, float a) { return jnf(order, a); }
inline float y0(float a) { return y0f(a); }
inline float y1(float a) { return y1f(a); }
inline float yn(int order, float a) { return ynf(order, a); }
inline float cyl_bessel_i0(float a) { return cyl_bessel_i0f(a); }
inline float cyl_bessel_i1(float a) { return cyl_bessel_i1f(a); }

#endif
