#pragma once
// Functions of real numbers without branches, for the compiler to vectorise. All need FMA.
// Sources: argument reduction after Cody and Waite with the error terms that FMA makes exact;
// polynomials interpolate at Chebyshev's nodes, or are the Taylor series, long enough for the
// reduced range.

#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

[[gnu::always_inline]] inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// By Horner's rule; the coefficient of the highest power comes first.
template <typename... Lower>
[[gnu::always_inline]] inline double polynomial(double z, double highest, Lower... lower) {
  ((highest = fused(highest, z, lower)), ...);
  return highest;
}

// 2^n for the exponent of a normal number.
[[gnu::always_inline]] inline double power_of_two(int64_t n) {
  return bit_cast<double>((n + 1023) << 52);
}

// exp(x) = 2^n * (1 + fraction), |fraction| < 0.42, for x between the bounds of the result.
struct Exponential {
  double fraction;
  int64_t n;
  // In two steps, because 2^n itself may be out of range; subnormal results are rounded once.
  [[gnu::always_inline]] double value() const {
    const int64_t half = n >> 1;
    return (1.0 + fraction) * power_of_two(half) * power_of_two(n - half);
  }
};
[[gnu::always_inline]] inline Exponential reduce_exponential(double x) {
  constexpr double kInverse = 0x1.71547652b82fep0;  // 1 / ln 2
  constexpr double kHigh = 0x1.62e42fefa39efp-1;    // ln 2 and what it lacks
  constexpr double kLow = 0x1.abc9e3b39803fp-56;
  constexpr double kShift = 0x1.8p52;
  // Beyond these the result is 0 or infinite; NaN passes through the comparisons.
  double bounded = x > 710.0 ? 710.0 : x;
  bounded = bounded < -746.0 ? -746.0 : bounded;
  const double shifted = bounded * kInverse + kShift;
  const double n = shifted - kShift;
  const double r = fused(-n, kLow, fused(-n, kHigh, bounded));
  const double q = polynomial(r, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                              1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
                              1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5);
  return {fused(q * r, r, r), bit_cast<int64_t>(shifted) - bit_cast<int64_t>(kShift)};
}

struct ExpDouble {
  static constexpr bool kNeedsRange = false;
  [[gnu::always_inline]] static double evaluate(double x) {
    const double result = reduce_exponential(x).value();
    return x != x ? x : result;
  }
};

struct Expm1Double {
  static constexpr bool kNeedsRange = false;
  [[gnu::always_inline]] static double evaluate(double x) {
    const Exponential e = reduce_exponential(x);
    const bool large = e.n > 60;  // where the 1 is less than half an ulp
    const bool small = e.n < -60;
    const double scale = power_of_two(large || small ? 0 : e.n);
    double result = fused(scale, e.fraction, scale - 1.0);
    const double value = e.value();
    result = large ? value : result;
    result = small ? -1.0 : result;
    return x == 0 || x != x ? x : result;  // the sign of zero
  }
};

// x = n * pi/2 + (r + low), |r| <= pi/4.
struct Quadrant {
  double r;
  double low;
  int64_t n;
};
[[gnu::always_inline]] inline Quadrant reduce_quadrant(double x) {
  constexpr double kInverse = 0x1.45f306dc9c883p-1;  // 2 / pi
  constexpr double kFirst = 0x1.921fb54442d18p0;     // pi / 2 in three parts
  constexpr double kSecond = 0x1.1a62633145c07p-54;
  constexpr double kThird = -0x1.f1976b7ed8fbcp-110;
  constexpr double kShift = 0x1.8p52;
  const double shifted = x * kInverse + kShift;
  const double n = shifted - kShift;
  const double exact = fused(-n, kFirst, x);  // no rounding: both are multiples of one small unit
  const double r = fused(-n, kSecond, exact);
  const double low = fused(-n, kThird, fused(-n, kSecond, exact - r));
  return {r, low, bit_cast<int64_t>(shifted)};
}

[[gnu::always_inline]] inline double sine_polynomial(double r, double low) {
  const double z = r * r;
  const double q = polynomial(z, -0x1.ab1833d54026bp-41, 0x1.612181858e9a1p-33,
                              -0x1.ae6454183e7a2p-26, 0x1.71de3a5464b38p-19, -0x1.a01a01a019953p-13,
                              0x1.111111111111p-7, -0x1.5555555555555p-3);
  return r + fused(q * z, r, fused(low, -0.5 * z, low));
}

[[gnu::always_inline]] inline double cosine_polynomial(double r, double low) {
  const double z = r * r;
  const double q =
      polynomial(z, -0x1.907d7eeeb91e3p-37, 0x1.1eeb68b77eb48p-29, -0x1.27e4fa17ab2bp-22,
                 0x1.a01a019f4e8c8p-16, -0x1.6c16c16c16966p-10, 0x1.5555555555555p-5);
  const double half = 0.5 * z;
  const double high = 1.0 - half;
  return high + (((1.0 - high) - half) + fused(q * z, z, -r * low));
}

// Sine of x plus `turns` quarter turns.
[[gnu::always_inline]] inline double sine_of(double x, int64_t turns) {
  const Quadrant quadrant = reduce_quadrant(x);
  const int64_t n = quadrant.n + turns;
  const double sine = sine_polynomial(quadrant.r, quadrant.low);
  const double cosine = cosine_polynomial(quadrant.r, quadrant.low);
  const double value = (n & 1) != 0 ? cosine : sine;
  return bit_cast<double>(bit_cast<int64_t>(value) ^ ((n & 2) << 62));
}

struct SinDouble {
  static constexpr bool kNeedsRange = true;
  static constexpr double kLargest = 0x1p20;
  // The sum of the parts of a zero would be +0.
  [[gnu::always_inline]] static double evaluate(double x) { return x == 0 ? x : sine_of(x, 0); }
  static double scalar(double x) { return ::sin(x); }
};

struct CosDouble {
  static constexpr bool kNeedsRange = true;
  static constexpr double kLargest = 0x1p20;
  [[gnu::always_inline]] static double evaluate(double x) { return sine_of(x, 1); }
  static double scalar(double x) { return ::cos(x); }
};

struct TanDouble {
  static constexpr bool kNeedsRange = true;
  static constexpr double kLargest = 0x1p20;
  [[gnu::always_inline]] static double evaluate(double x) {
    const Quadrant quadrant = reduce_quadrant(x);
    const double sine = sine_polynomial(quadrant.r, quadrant.low);
    const double cosine = cosine_polynomial(quadrant.r, quadrant.low);
    const bool odd = (quadrant.n & 1) != 0;
    const double above = odd ? -cosine : sine;
    const double below = odd ? sine : cosine;
    const double result = above / below;
    return x == 0 ? x : result;
  }
  static double scalar(double x) { return ::tan(x); }
};

// Without division: y = x^(-1/3) by Newton's method from a third of the exponent, then x * y * y,
// corrected once by what its cube lacks.
struct CbrtDouble {
  static constexpr bool kNeedsRange = false;
  [[gnu::always_inline]] static double evaluate(double x) {
    constexpr double kLargest = 0x1.fffffffffffffp1023;
    const double size = absolute(x);
    const bool small = size < 0x1p-700;
    const bool large = size > 0x1p700;
    const double scaled = size * (small ? 0x1p480 : (large ? 0x1p-360 : 1.0));
    const auto high = static_cast<int32_t>(bit_cast<int64_t>(scaled) >> 32);
    const auto start = static_cast<int32_t>(1430188287.0 - high * (1.0 / 3.0));
    double y = bit_cast<double>(static_cast<int64_t>(start) << 32);
    const double third = scaled * (1.0 / 3.0);
    for (int i = 0; i < 3; ++i) y *= fused(-third * y, y * y, 4.0 / 3.0);
    double root = scaled * (y * y);
    const double square = root * root;
    const double square_low = fused(root, root, -square);
    const double cube = square * root;
    const double cube_low = fused(square_low, root, fused(square, root, -cube));
    root = fused(((cube - scaled) + cube_low) * (-1.0 / 3.0), y * y, root);
    const double value = root * (small ? 0x1p-160 : (large ? 0x1p120 : 1.0));
    return size > 0 && size <= kLargest ? copysign(value, x) : x;
  }
};

// The same in float32.
struct CbrtFloat {
  static constexpr bool kNeedsRange = false;
  [[gnu::always_inline]] static float fused_float(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  [[gnu::always_inline]] static float evaluate(float x) {
    const float size = absolute(x);
    const bool small = size < 0x1p-60f;
    const bool large = size > 0x1p60f;
    const float scaled = size * (small ? 0x1p90f : (large ? 0x1p-60f : 1.0f));
    const auto thirds = static_cast<float>(bit_cast<int32_t>(scaled)) * (1.0f / 3.0f);
    float y = bit_cast<float>(0x54a2fa8c - static_cast<int32_t>(thirds));
    const float third = scaled * (1.0f / 3.0f);
    for (int i = 0; i < 2; ++i) y *= fused_float(-third * y, y * y, 4.0f / 3.0f);
    float root = scaled * (y * y);
    const float square = root * root;
    const float square_low = fused_float(root, root, -square);
    const float cube = square * root;
    const float cube_low = fused_float(square_low, root, fused_float(square, root, -cube));
    root = fused_float(((cube - scaled) + cube_low) * (-1.0f / 3.0f), y * y, root);
    const float value = root * (small ? 0x1p-30f : (large ? 0x1p20f : 1.0f));
    return size > 0 && size < infinity<float>() ? copysign(value, x) : x;
  }
};

// The angle of a quotient q of at most tan(pi/8), by a polynomial: of the smaller over the larger
// size, or of the tangent of the difference to pi/4. What q and sums lose is kept beside them.
struct Arctan2Double {
  [[gnu::always_inline]] static double rest_by_cube(double z) {
    return polynomial(z, 0x1.0ad6738ea95c7p-6, -0x1.1b355364dee79p-5, 0x1.74de8f705a12bp-5,
                      -0x1.ac7ac41e74444p-5, 0x1.e19a1b976bbc3p-5, -0x1.110e8874074d2p-4,
                      0x1.3b1392e115835p-4, -0x1.745d165e43p-4, 0x1.c71c71c306beap-4,
                      -0x1.249249248d828p-3, 0x1.9999999999954p-3, -0x1.5555555555555p-2);
  }
  // What a + b, of which a is the larger, loses.
  [[gnu::always_inline]] static double lost(double a, double b, double sum) {
    return b - (sum - a);
  }
  [[gnu::always_inline]] static double evaluate(double y, double x) {
    const double infinite = infinity<double>();
    constexpr double kTangent = 0x1.a827999fcef32p-2;  // of pi/8
    constexpr double kQuarter = 0x1.921fb54442d18p-1;  // pi / 4 and what it lacks
    constexpr double kQuarterLow = 0x1.1a62633145c07p-55;
    const double high = absolute(y), wide = absolute(x);
    const bool steep = high > wide;
    double above = steep ? wide : high;
    double below = steep ? high : wide;
    const double scale = below > 0x1p1000 ? 0x1p-100 : (below < 0x1p-900 ? 0x1p100 : 1.0);
    above = below == infinite ? (above == infinite ? 1.0 : 0.0) : above * scale;
    below = below == infinite || below == 0 ? 1.0 : below * scale;
    const bool far = above > kTangent * below;
    const double difference = above - below, sum = above + below;
    const double top = far ? difference : above;
    const double top_low = far ? lost(-below, above, difference) : 0.0;
    const double bottom = far ? sum : below;
    const double bottom_low = far ? lost(below, above, sum) : 0.0;
    const double inverse = 1.0 / bottom;
    const double near = top * inverse;
    const double q = fused(fused(-near, bottom, top), inverse, near);
    const double z = q * q;
    const double q_low = (fused(-q, bottom, top) + fused(-q, bottom_low, top_low)) * inverse;
    // atan(q + q_low) - q
    const double rest = fused(q * z, rest_by_cube(z), q_low * fused(z, z - 1.0, 1.0));
    const double base = far ? kQuarter : 0.0;
    double angle = base + q;
    double low = (far ? lost(base, q, angle) + kQuarterLow : 0.0) + rest;
    const double half = 2.0 * kQuarter - angle;
    low = steep ? lost(2.0 * kQuarter, -angle, half) + 2.0 * kQuarterLow - low : low;
    angle = steep ? half : angle;
    const double turned = 4.0 * kQuarter - angle;
    const bool back = bit_cast<int64_t>(x) < 0;
    low = back ? lost(4.0 * kQuarter, -angle, turned) + 4.0 * kQuarterLow - low : low;
    angle = back ? turned : angle;
    return x != x || y != y ? x + y : copysign(angle + low, y);
  }
};

// The root of the squares' sum. Powers of two keep the squares away from the ends of the range.
struct HypotDouble {
  [[gnu::always_inline]] static double evaluate(double a, double b) {
    const double x = absolute(a), y = absolute(b);
    const double larger = x > y ? x : y;
    const bool is_large = larger > 0x1p500, is_small = larger < 0x1p-450;
    const double scale = is_large ? 0x1p-600 : is_small ? 0x1p600 : 1.0;
    const double back = is_large ? 0x1p600 : is_small ? 0x1p-600 : 1.0;
    const double p = x * scale, q = y * scale;
    const double root = sqrt(p * p + q * q) * back;
    const bool is_infinite = (x == infinity<double>()) | (y == infinity<double>());
    return is_infinite ? infinity<double>() : root;
  }
};

// float32 in float64, rounded once.
template <typename Function>
struct InDouble {
  static constexpr bool kNeedsRange = false;
  template <typename... Floats>
  [[gnu::always_inline]] static float evaluate(Floats... values) {
    return static_cast<float>(Function::evaluate(static_cast<double>(values)...));
  }
};

// log x = n log 2 + log(1 + f) with 1 + f in [sqrt(1/2), sqrt 2); log(1 + f) by the series of
// atanh(f / (2 + f)).
struct LogFloat {
  static constexpr bool kNeedsRange = false;
  [[gnu::always_inline]] static float evaluate(float x) {
    constexpr float kHigh = 0x1.62e4p-1f;  // ln 2, whose first part times n is exact, and the rest
    constexpr float kLow = 0x1.7f7d1cp-20f;
    constexpr uint32_t kRootHalf = 0x3f3504f3;
    const bool tiny = x < 0x1p-126f;
    const float normal = tiny ? x * 0x1p25f : x;
    const uint32_t bits = bit_cast<uint32_t>(normal);
    const int32_t exponent = static_cast<int32_t>(bits - kRootHalf) >> 23;
    const float f = bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
    const float n = static_cast<float>(exponent - (tiny ? 25 : 0));
    const float s = f / (2.0f + f);
    const float z = s * s;
    float q = 2.0f / 9.0f;
    q = q * z + 2.0f / 7.0f;
    q = q * z + 2.0f / 5.0f;
    q = q * z + 2.0f / 3.0f;
    const float half = 0.5f * f * f;
    const float value = n * kHigh - ((half - (s * (half + q * z) + n * kLow)) - f);
    const float infinite = infinity<float>();
    const float result = x == infinite ? infinite : value;
    return x > 0 ? result : (x == 0 ? -infinite : quiet_nan<float>());
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
