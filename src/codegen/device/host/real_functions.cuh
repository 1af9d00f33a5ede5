// CUDA's functions of real numbers that C lacks, but for special functions: reciprocals, norms,
// multiples of pi, and the fast intrinsics, which are C's functions here.
#ifndef CUPOLA_DEVICE_HOST_REAL_FUNCTIONS
#define CUPOLA_DEVICE_HOST_REAL_FUNCTIONS

inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
inline double rsqrt(double a) { return 1.0 / sqrt(a); }
inline float rsqrt(float a) { return rsqrtf(a); }
// With a step of Newton's: C's cube roots are off by up to four units.
inline double rcbrt(double a) {
  const double root = 1.0 / cbrt(a);
  const double better = root + root * (1.0 - a * root * root * root) * (1.0 / 3.0);
  return isfinite(root) && root != 0.0 ? better : root;
}
inline float rcbrtf(float a) { return static_cast<float>(rcbrt(double(a))); }
inline float rcbrt(float a) { return rcbrtf(a); }
inline float exp10(float a) { return exp10f(a); }
inline double fdivide(double a, double b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }

inline float __saturatef(float a) { return a < 0.0f || a != a ? 0.0f : a > 1.0f ? 1.0f : a; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return expf(a); }
inline float __exp10f(float a) { return exp10f(a); }
inline float __logf(float a) { return logf(a); }
inline float __log2f(float a) { return log2f(a); }
inline float __log10f(float a) { return log10f(a); }
inline float __sinf(float a) { return sinf(a); }
inline float __cosf(float a) { return cosf(a); }
inline float __tanf(float a) { return tanf(a); }
inline float __tanhf(float a) { return tanhf(a); }
inline float __powf(float a, float b) { return powf(a, b); }
inline void __sincosf(float a, float* sine, float* cosine) {
  *sine = sinf(a);
  *cosine = cosf(a);
}
inline void sincos(float a, float* sine, float* cosine) { __sincosf(a, sine, cosine); }

namespace cupola_host {

// The sine of `quarters` right angles and a * pi.
inline double sine_of_turn(double a, int quarters) {
  const double halves = rint(2 * a);
  const double rest = fma(-0.5, halves, a) * 3.14159265358979323846;
  const int quarter = (static_cast<int>(fmod(halves, 4.0)) + quarters) & 3;
  const double size = quarter & 1 ? cos(rest) : sin(rest);
  return quarter & 2 ? -size : size;
}

// As Euclid's length of the values; any infinite one makes it infinite.
inline double length(const double* values, int count) {
  double largest = 0, sum = 0;
  bool is_nan = false;
  for (int i = 0; i < count; ++i) {
    is_nan = is_nan || values[i] != values[i];
    largest = fmax(largest, fabs(values[i]));
  }
  if (isinf(largest)) return largest;
  if (is_nan) return NAN;
  const int exponent = largest == 0 ? 0 : ilogb(largest);
  for (int i = 0; i < count; ++i) {
    const double scaled = ldexp(values[i], -exponent);
    sum += scaled * scaled;
  }
  return ldexp(sqrt(sum), exponent);
}
inline double length(const float* values, int count) {
  double sum = 0;  // of floats nothing overflows
  bool is_infinite = false;
  for (int i = 0; i < count; ++i) {
    is_infinite = is_infinite || isinf(values[i]);
    sum += double(values[i]) * values[i];
  }
  return is_infinite ? double(INFINITY) : sqrt(sum);
}

template <typename T, typename... Rest>
inline double length_of(T first, Rest... rest) {
  const T values[] = {first, rest...};
  return length(values, 1 + sizeof...(rest));
}

}  // namespace cupola_host

inline double sinpi(double a) {
  if (!isfinite(a)) return a - a;
  const double sine = cupola_host::sine_of_turn(a, 0);
  return sine == 0 ? copysign(0.0, a) : sine;
}
inline double cospi(double a) {
  return isfinite(a) ? cupola_host::sine_of_turn(a, 1) + 0.0 : a - a;  // no negative zero
}
inline void sincospi(double a, double* sine, double* cosine) {
  *sine = sinpi(a);
  *cosine = cospi(a);
}
inline float sinpif(float a) { return static_cast<float>(sinpi(double(a))); }
inline float cospif(float a) { return static_cast<float>(cospi(double(a))); }
inline float sinpi(float a) { return sinpif(a); }
inline float cospi(float a) { return cospif(a); }
inline void sincospif(float a, float* sine, float* cosine) {
  *sine = sinpif(a);
  *cosine = cospif(a);
}
inline void sincospi(float a, float* sine, float* cosine) { sincospif(a, sine, cosine); }

inline double norm(int count, const double* values) { return cupola_host::length(values, count); }
inline double rnorm(int count, const double* values) {
  return 1.0 / cupola_host::length(values, count);
}
inline float normf(int count, const float* values) {
  return static_cast<float>(cupola_host::length(values, count));
}
inline float rnormf(int count, const float* values) {
  return static_cast<float>(1.0 / cupola_host::length(values, count));
}
inline double norm3d(double a, double b, double c) { return cupola_host::length_of(a, b, c); }
inline double norm4d(double a, double b, double c, double d) {
  return cupola_host::length_of(a, b, c, d);
}
inline double rhypot(double a, double b) { return 1.0 / cupola_host::length_of(a, b); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
inline float norm3df(float a, float b, float c) {
  return static_cast<float>(cupola_host::length_of(a, b, c));
}
inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(cupola_host::length_of(a, b, c, d));
}
inline float rhypotf(float a, float b) {
  return static_cast<float>(1.0 / cupola_host::length_of(a, b));
}
inline float rnorm3df(float a, float b, float c) {
  return static_cast<float>(1.0 / cupola_host::length_of(a, b, c));
}
inline float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(1.0 / cupola_host::length_of(a, b, c, d));
}

#endif
