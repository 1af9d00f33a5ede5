// What distributions need of exponentials, logarithms and factorials: of additions,
// multiplications, divisions, square roots and exact conversions only, so that every platform
// gives the same bits and compilers vectorise. Source of the rational functions but that of
// stirling_rest: S. L. Moshier, Cephes.
#ifndef CUPOLA_DEVICE_RANDOM_MATH
#define CUPOLA_DEVICE_RANDOM_MATH

#ifndef __CUDACC_RTC__
#include "codegen/device/random_numbers.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

CUPOLA_FN double limited(double x, double low, double high) {
  const double above = x > low ? x : low;  // NaN becomes `low`
  return above < high ? above : high;
}

// 2^n for n in [-1022, 1023].
CUPOLA_FN double power_of_two(int32_t n) {
  return bit_cast<double>(static_cast<int64_t>(n + 1023) << 52);
}
// e^x - 1 for |x| <= 0.5.
CUPOLA_FN double expm1_near_zero(double x) {
  const double z = x * x;
  double p = 1.26177193074810590878e-4;
  p = p * z + 3.02994407707441961300e-2;
  p = p * z + 9.99999999999999999910e-1;
  double q = 3.00198505138664455042e-6;
  q = q * z + 2.52448340349684104192e-3;
  q = q * z + 2.27265548208155028766e-1;
  q = q * z + 2.00000000000000000009e0;
  const double r = x * p;
  return 2 * (r / (q - r));
}
// e^x; 0 and infinity beyond the range. NaN gives 0.
CUPOLA_FN double exp_of(double x) {
  const double held = limited(x, -746.0, 710.0);
  const double n = floor(held * 1.4426950408889634073599 + 0.5);
  const double rest = (held - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
  const double significand = 1 + expm1_near_zero(rest);
  // In two steps, as 2^n may be below the normal numbers.
  const auto whole = static_cast<int32_t>(n);
  const int32_t half = whole >> 1;
  return significand * power_of_two(half) * power_of_two(whole - half);
}
// e^x - 1.
CUPOLA_FN double expm1_of(double x) {
  const double near = expm1_near_zero(limited(x, -0.5, 0.5));
  return absolute(x) < 0.4 ? near : exp_of(x) - 1;
}
// log(1 + x) for x > -1.
CUPOLA_FN double log1p_of(double x) {
  const double sum = 1 + x;
  const double above = sum > 0x1p-60 ? sum : 0x1p-60;
  return log_of_unit(above) - ((above - 1) - x) / above;
}
// The function as a row has it: also of NaN.
CUPOLA_FN double portable_exp(double x) { return x == x ? exp_of(x) : x; }

// The inverse cosine.
CUPOLA_FN double arccos_of(double x) {
  // Twice the angle of the point (sqrt(1 + x), sqrt(1 - x)), from the axis that is nearer.
  const double across = sqrt(limited(1 + x, 0, 2));
  const double up = sqrt(limited(1 - x, 0, 2));
  const bool is_steep = up > across;
  const double t = is_steep ? across / up : up / across;
  const bool is_far = t > 0.66;
  const double u = is_far ? (t - 1) / (t + 1) : t;
  const double z = u * u;
  double p = -8.750608600031904122785e-1;
  p = p * z - 1.615753718733365076637e1;
  p = p * z - 7.500855792314704667340e1;
  p = p * z - 1.228866684490136173410e2;
  p = p * z - 6.485021904942025371773e1;
  double q = z + 2.485846490142306297962e1;
  q = q * z + 1.650270098316988542046e2;
  q = q * z + 4.328810604912902668951e2;
  q = q * z + 4.853903996359136964868e2;
  q = q * z + 1.945506571482613964425e2;
  const double near = u + u * (z * p / q);
  const double angle = is_far ? near + 0.785398163397448309616 : near;
  return 2 * (is_steep ? 1.57079632679489661923 - angle : angle);
}

// log x! - ((x + 1/2) log x - x + log(2 pi) / 2) for x >= 1, within 4e-12: a rational function of
// 1 / x^2, by least squares.
CUPOLA_FN double stirling_rest(double x) {
  const double inverse = 1 / x;
  const double z = inverse * inverse;
  double p = 0.03902596178792507;
  p = p * z + 1.1882337664761313;
  p = p * z + 4.5992987427122625;
  p = p * z + 4.361595109312369;
  p = p * z + 0.9999999999645032;
  double q = 0.059137406192705626;
  q = q * z + 1.311378840608604;
  q = q * z + 4.736273323510295;
  q = q * z + 4.394928428646838;
  q = q * z + 1;
  return inverse * (p / q) * 8.33333333333333333333e-2;
}
// log k! for integers k >= 0.
CUPOLA_FN double log_factorial(double k) {
  const double x = k + 1;
  return (x - 0.5) * log_of_unit(x) - x + 0.918938533204672741780 + stirling_rest(x);
}

// x log(x / mean) + mean - x for positive numbers, exact to the last places where both are near.
// Source: C. Loader, "Fast and accurate computation of binomial probabilities" (2000).
CUPOLA_FN double deviance(double x, double mean) {
  const double difference = x - mean;
  const double v = difference / (x + mean);
  const double z = v * v;
  double series = 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  const double near = difference * v + 2 * x * v * (z * series);
  const double far = x * log_of_unit(x / mean) - difference;
  return z < 0.01 ? near : far;
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
