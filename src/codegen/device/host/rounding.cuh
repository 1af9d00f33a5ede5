// Arithmetic of float and double in each direction of rounding, whatever the direction of the
// machine: the nearest result, the sign of what is missing of the exact one, and a step where the
// direction asks for it. Errors are exact: Dekker's sum, fused products of scaled operands.
#ifndef CUPOLA_DEVICE_HOST_ROUNDING
#define CUPOLA_DEVICE_HOST_ROUNDING

namespace cupola_host {

enum class Rounding { nearest, zero, up, down };

template <typename T>
inline int sign_of(T value) {
  return (value > 0) - (value < 0);
}

inline float next_above(float value) {
  const int bits = __builtin_bit_cast(int, value);
  return value == 0 ? __builtin_bit_cast(float, 1)
                    : __builtin_bit_cast(float, value > 0 ? bits + 1 : bits - 1);
}
inline double next_above(double value) {
  const long long bits = __builtin_bit_cast(long long, value);
  return value == 0 ? __builtin_bit_cast(double, 1ll)
                    : __builtin_bit_cast(double, value > 0 ? bits + 1 : bits - 1);
}

// `missing` is the sign of the exact result less the nearest.
template <Rounding R, typename T>
inline T rounded(T nearest, int missing) {
  const bool is_up = missing > 0 && (R == Rounding::up || (R == Rounding::zero && nearest < 0));
  const bool is_down = missing < 0 && (R == Rounding::down || (R == Rounding::zero && nearest > 0));
  return is_up ? next_above(nearest) : is_down ? -next_above(-nearest) : nearest;
}

// Of `high` and a smaller rest.
template <Rounding R>
inline float to_float(double high, int rest) {
  const float nearest = static_cast<float>(high);
  const int missing = (high > nearest) - (high < nearest);
  return rounded<R>(nearest, missing ? missing : rest);
}

// Of finite operands and a result that is not.
inline int missing_of_infinity(double result) { return result > 0 ? -1 : 1; }

// The sign of a + b - sum.
inline int missing_of_sum(double a, double b, double sum) {
  if (isinf(sum)) return isinf(a) || isinf(b) ? 0 : missing_of_infinity(sum);
  const bool in_order = fabs(a) >= fabs(b);
  return sign_of((in_order ? b : a) - (sum - (in_order ? a : b)));
}

// The sign of a * b - product.
inline int missing_of_product(double a, double b, double product) {
  if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) return 0;
  if (isinf(product)) return missing_of_infinity(product);
  int i, j;
  const double x = frexp(a, &i), y = frexp(b, &j);
  return sign_of(fma(x, y, -ldexp(product, -i - j)));
}

// The sign of a / b - quotient.
inline int missing_of_quotient(double a, double b, double quotient) {
  if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) return 0;
  if (isinf(quotient)) return missing_of_infinity(quotient);
  int i, j;
  const double x = frexp(a, &i), y = frexp(b, &j);
  return sign_of(fma(-ldexp(quotient, j - i), y, x)) * sign_of(b);
}

// The sign of the square root of a, less `root`.
inline int missing_of_root(double a, double root) {
  if (!(a > 0) || isinf(a)) return 0;
  int i;
  frexp(a, &i);
  i &= ~1;
  const double scaled = ldexp(root, -i / 2);
  return sign_of(fma(-scaled, scaled, ldexp(a, -i)));
}

// The sign of an exact sum (Shewchuk 1997, growing expansions).
inline int sign_of_sum(const double (&terms)[4]) {
  double parts[4];
  for (int k = 0; k < 4; ++k) {
    double high = terms[k];
    for (int j = 0; j < k; ++j) {
      const double sum = high + parts[j], rest = sum - high;
      parts[j] = (high - (sum - rest)) + (parts[j] - rest);
      high = sum;
    }
    parts[k] = high;
  }
  for (int k = 3; k > 0; --k) {
    if (parts[k] != 0) return sign_of(parts[k]);
  }
  return sign_of(parts[0]);
}

// The sign of a * b + c - result.
inline int missing_of_fma(double a, double b, double c, double result) {
  if (!isfinite(a) || !isfinite(b) || !isfinite(c) || a == 0 || b == 0) return 0;
  if (c == 0) return missing_of_product(a, b, result);
  if (isinf(result)) return missing_of_infinity(result);
  constexpr int kFar = 120;  // bits, beyond which the smaller one decides a tie only
  int i, j, k;
  const double x = frexp(a, &i), y = frexp(b, &j);
  frexp(c, &k);
  if (k - i - j > kFar) return sign_of(x) * sign_of(y);
  if (k - i - j < -kFar) {
    const int missing = missing_of_product(a, b, result);
    return missing ? missing : sign_of(c);
  }
  const double high = x * y;
  return sign_of_sum({fma(x, y, -high), high, ldexp(c, -i - j), -ldexp(result, -i - j)});
}

// An exact sum of zero is negative downward unless both of its terms are positive.
template <Rounding R, typename T>
inline T with_zero(T sum, bool have_two_signs) {
  return R == Rounding::down && sum == 0 && have_two_signs ? -T(0) : sum;
}

template <Rounding R>
inline double add(double a, double b) {
  const double sum = with_zero<R>(a + b, signbit(a) != signbit(b));
  if constexpr (R == Rounding::nearest) return sum;
  return rounded<R>(sum, missing_of_sum(a, b, sum));
}
template <Rounding R>
inline float add(float a, float b) {
  if constexpr (R == Rounding::nearest) return a + b;
  const double sum = with_zero<R>(double(a) + b, signbit(a) != signbit(b));
  return to_float<R>(sum, missing_of_sum(a, b, sum));
}

template <Rounding R>
inline double multiply(double a, double b) {
  if constexpr (R == Rounding::nearest) return a * b;
  return rounded<R>(a * b, missing_of_product(a, b, a * b));
}
template <Rounding R>
inline float multiply(float a, float b) {
  if constexpr (R == Rounding::nearest) return a * b;
  return to_float<R>(double(a) * b, 0);
}

template <Rounding R>
inline double divide(double a, double b) {
  if constexpr (R == Rounding::nearest) return a / b;
  return rounded<R>(a / b, missing_of_quotient(a, b, a / b));
}
template <Rounding R>
inline float divide(float a, float b) {
  if constexpr (R == Rounding::nearest) return a / b;
  const double quotient = double(a) / b;
  return to_float<R>(quotient, missing_of_quotient(a, b, quotient));
}

template <Rounding R>
inline double root(double a) {
  const double nearest = sqrt(a);
  if constexpr (R == Rounding::nearest) return nearest;
  return rounded<R>(nearest, missing_of_root(a, nearest));
}
template <Rounding R>
inline float root(float a) {
  if constexpr (R == Rounding::nearest) return sqrtf(a);
  const double nearest = sqrt(double(a));
  return to_float<R>(nearest, missing_of_root(a, nearest));
}

template <Rounding R>
inline double multiply_add(double a, double b, double c) {
  const double nearest = fma(a, b, c);
  if constexpr (R == Rounding::nearest) return nearest;
  const int missing = missing_of_fma(a, b, c, nearest);
  if (missing) return rounded<R>(nearest, missing);
  return with_zero<R>(nearest, (signbit(a) != signbit(b)) != signbit(c));
}
template <Rounding R>
inline float multiply_add(float a, float b, float c) {
  if constexpr (R == Rounding::nearest) return fmaf(a, b, c);
  const double product = double(a) * b;  // exact
  const double sum = with_zero<R>(product + c, signbit(product) != signbit(c));
  return to_float<R>(sum, missing_of_sum(product, c, sum));
}

// The nearest to 1 / sqrt(a), decided at the middles between neighbours.
inline float reciprocal_root(float a) {
  const double root = 1.0 / sqrt(double(a));
  const float nearest = static_cast<float>(root);
  if (!(a > 0) || isinf(a)) return nearest;
  const auto is_below_root = [a](float x, float y) {
    const double middle = 0.5 * (double(x) + y);
    return fma(middle * middle, double(a), -1.0) < 0;
  };
  const float above = next_above(nearest), below = -next_above(-nearest);
  if (is_below_root(nearest, above)) return above;
  return is_below_root(below, nearest) ? nearest : below;
}

}  // namespace cupola_host

#endif
