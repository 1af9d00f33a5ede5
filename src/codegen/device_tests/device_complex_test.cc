// Complex functions of the device math: exact arithmetic, special values, and agreement with the
// C library over magnitudes and around the branch points.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "codegen/device/device.cuh"
#include "codegen/device_tests/special_values.h"

namespace cupola_device {
namespace {

constexpr double kHalfPi = 0.5 * kPi;

void expect_part(double got, double expected, const char* part) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << part << " " << got;
  } else {
    EXPECT_DOUBLE_EQ(got, expected) << part;
    EXPECT_EQ(std::signbit(got), std::signbit(expected)) << part;
  }
}

void expect_same(complex128 got, complex128 expected) {
  expect_part(got.re, expected.re, "real");
  expect_part(got.im, expected.im, "imaginary");
}

TEST(ComplexArithmetic, ProductsAndQuotientsAreNotRepaired) {
  expect_same(multiply(complex128{kInf, 0}, complex128{1, 1}), {kInf, kInf});
  expect_same(square(complex128{kInf, 0}), {kInf, kNan});
  expect_same(divide(complex128{1, 1}, complex128{0, 0}), {kInf, kInf});
  expect_same(divide(complex128{1, 0}, complex128{0, 0}), {kInf, kNan});
  expect_same(divide(complex128{1, 0}, complex128{kInf, 0}), {0, 0});
  expect_same(divide(complex128{3, 4}, complex128{0, 1e300}), {4e-300, -3e-300});
  expect_same(reciprocal(complex128{0, 0}), {kNan, kNan});
}

TEST(ComplexArithmetic, Sign) {
  expect_same(sign(complex128{0, -3}), {0, -1});
  expect_same(sign(complex128{kInf, 1}), {1, 0});
  expect_same(sign(complex128{kInf, kInf}), {kNan, kNan});
  expect_same(sign(complex128{kNan, kInf}), {0, 1});
  EXPECT_EQ(absolute(complex128{kInf, kNan}), kInf);
}

TEST(ComplexPower, IntegerAndZeroOperands) {
  expect_same(power(complex128{0, 0}, complex128{0, 0}), {1, 0});
  expect_same(power(complex128{0, 0}, complex128{1, 1}), {0, 0});
  expect_same(power(complex128{0, 0}, complex128{-1, 0}), {kNan, kNan});
  expect_same(power(complex128{0, 1}, complex128{2, 0}), {-1, 0});
  expect_same(power(complex128{0, 1}, complex128{-2, 0}), {-1, -0.0});
}

TEST(ComplexFunctions, ValuesAtInfinityAndNan) {
  expect_same(exp(complex128{-kInf, kNan}), {0, 0});
  expect_same(exp(complex128{kInf, 0}), {kInf, 0});
  expect_same(exp(complex128{800, kHalfPi * 0.5}), {kInf, kInf});
  expect_same(log(complex128{-0.0, 0}), {-kInf, kPi});
  expect_same(log(complex128{kInf, kNan}), {kInf, kNan});
  expect_same(sqrt(complex128{-kInf, -1}), {0, -kInf});
  expect_same(sqrt(complex128{kNan, kInf}), {kInf, kInf});
  expect_same(sqrt(complex128{-4, -0.0}), {0, -2});
  expect_same(tanh(complex128{kInf, kNan}), {1, 0});
  expect_same(arctanh(complex128{1, 0}), {kInf, 0});
  expect_same(arccosh(complex128{0, 0}), {0, kHalfPi});
  expect_same(arcsin(complex128{kInf, kInf}), {0.5 * kHalfPi, kInf});
}

TEST(ComplexFunctions, SidesOfTheBranchCuts) {
  EXPECT_GT(arcsin(complex128{2, 0.0}).im, 0);
  EXPECT_LT(arcsin(complex128{2, -0.0}).im, 0);
  EXPECT_LT(arccos(complex128{-2, 0.0}).im, 0);
  EXPECT_GT(sqrt(complex128{-1, 0.0}).im, 0);
  EXPECT_LT(log(complex128{-1, -0.0}).im, 0);
  EXPECT_LT(arctan(complex128{-0.0, 2}).re, 0);
}

using Ours = complex128 (*)(complex128);
using Theirs = std::complex<double> (*)(const std::complex<double>&);
struct Pair {
  const char* name;
  Ours ours;
  Theirs theirs;
};

class AgainstTheLibrary : public ::testing::TestWithParam<Pair> {};

// Error of the larger part in units of its last place.
double error_of(complex128 got, std::complex<double> expected) {
  const double size = std::max(std::abs(expected.real()), std::abs(expected.imag()));
  const double error =
      std::max(std::abs(got.re - expected.real()), std::abs(got.im - expected.imag()));
  if (error == 0) return 0;
  return error / (size * std::numeric_limits<double>::epsilon());
}

TEST_P(AgainstTheLibrary, WithinAFewUlps) {
  std::vector<double> values;
  for (const double size : {1e-300, 1e-200, 1e-20, 1e-9, 1e-3, 0.3, 0.7, 0.999, 1.0, 1.001, 1.5,
                            3.0, 20.0, 30.0, 300.0, 1e9, 1e20, 1e200}) {
    values.push_back(size);
    values.push_back(-size);
  }
  for (const double re : values) {
    for (const double im : values) {
      const std::complex<double> expected = GetParam().theirs({re, im});
      if (!std::isfinite(expected.real()) || !std::isfinite(expected.imag())) continue;
      ASSERT_LT(error_of(GetParam().ours({re, im}), expected), 8.0) << re << " " << im;
    }
  }
}

#define CUPOLA_PAIR(OURS, THEIRS)                                                     \
  Pair {                                                                              \
#OURS, [](complex128 z) { return OURS(z); }, [](const std::complex <double>&      \
                                                        z) { return std::THEIRS(z); } \
  }
INSTANTIATE_TEST_SUITE_P(Functions, AgainstTheLibrary,
                         ::testing::Values(CUPOLA_PAIR(exp, exp), CUPOLA_PAIR(log, log),
                                           CUPOLA_PAIR(sqrt, sqrt), CUPOLA_PAIR(sin, sin),
                                           CUPOLA_PAIR(cos, cos), CUPOLA_PAIR(tan, tan),
                                           CUPOLA_PAIR(sinh, sinh), CUPOLA_PAIR(cosh, cosh),
                                           CUPOLA_PAIR(tanh, tanh), CUPOLA_PAIR(arcsin, asin),
                                           CUPOLA_PAIR(arccos, acos), CUPOLA_PAIR(arctan, atan),
                                           CUPOLA_PAIR(arcsinh, asinh), CUPOLA_PAIR(arccosh, acosh),
                                           CUPOLA_PAIR(arctanh, atanh)),
                         [](const auto& tested) { return tested.param.name; });
#undef CUPOLA_PAIR

}  // namespace
}  // namespace cupola_device
