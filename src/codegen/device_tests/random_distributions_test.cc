// What distributions by rejection are made of, and that every parameter comes to an end.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "codegen/device/device.cuh"
#include "codegen/device_tests/special_values.h"

namespace cupola_device {
namespace {

void expect_near(double got, double exact, double places) {
  EXPECT_LE(std::abs(got - exact), std::abs(exact) * places * 0x1p-53) << exact;
}

TEST(RandomMath, ExponentialsAndLogarithmsAreNear) {
  for (int i = -7000; i <= 7000; ++i) {
    const double x = i * 0.1003;
    expect_near(exp_of(x), std::exp(x), 4);
    expect_near(expm1_of(x * 0.01), std::expm1(x * 0.01), 8);
    expect_near(expm1_of(x * 1e-8), std::expm1(x * 1e-8), 8);
    expect_near(log1p_of(x * x * 1e-6), std::log1p(x * x * 1e-6), 4);
    expect_near(log1p_of(x * 1e-3 * 0.99 + 0.29), std::log1p(x * 1e-3 * 0.99 + 0.29), 4);
    expect_near(log1p_of(x * 1e-12), std::log1p(x * 1e-12), 4);
    EXPECT_NEAR(arccos_of(i / 7000.0), std::acos(i / 7000.0), 1e-15);
  }
  EXPECT_EQ(exp_of(-1e9), 0.0);
  EXPECT_EQ(exp_of(1e9), kInf);
  EXPECT_EQ(portable_exp(-kInf), 0.0);
  EXPECT_EQ(portable_exp(0.0), 1.0);
  EXPECT_TRUE(std::isnan(portable_exp(kNan)));
  EXPECT_NEAR(exp_of(-740.0) / std::exp(-740.0), 1.0, 0.1);
}

TEST(RandomMath, FactorialsAndDeviancesAreNear) {
  for (int k = 0; k < 3000; ++k) {
    EXPECT_NEAR(log_factorial(k), std::lgamma(k + 1.0), 1e-11 + 1e-15 * std::lgamma(k + 1.0));
  }
  for (const double mean : {10.0, 1e3, 1e8}) {
    for (int i = -40; i <= 400; ++i) {
      const double x = mean * (1 + i * 0.02) + 1;
      const long double wide = x;
      const long double center = mean;
      const long double exact = wide * std::log(wide / center) + center - wide;
      EXPECT_NEAR(deviance(x, mean), static_cast<double>(exact),
                  1e-14 * static_cast<double>(exact) + 1e-18 * mean);
    }
  }
}

TEST(RandomDistributions, IntegersAreTheNearestOfTheirType) {
  EXPECT_EQ(integer_of(kNan), 0);
  EXPECT_EQ(integer_of(1e300), INT64_MAX - 1023);
  EXPECT_EQ(integer_of(-1e300), INT64_MIN);
  EXPECT_EQ(integer_of(12345.0), 12345);
}

// Whatever parameters are, a kernel must end, and a count stay within what is possible.
TEST(RandomDistributions, EveryParameterComesToAnEnd) {
  constexpr double kValues[] = {kNan, -kInf, -1.0, -0.0,  0.0,  5e-324, 1e-300, 1e-9, 0.3,
                                0.5,  0.999, 1.0,  1.001, 9.99, 10.0,   1e6,    1e18, kInf};
  for (std::uint64_t stream = 0; stream < 40; ++stream) {
    const std::uint64_t bits = stream < 2 ? 0 - stream : stream * 0x9E3779B97F4A7C15u;
    for (const double value : kValues) {
      EXPECT_FALSE(gamma_of_stream(bits, value) < 0) << value;
      EXPECT_EQ(std::isnan(gamma_of_stream(bits, value)), !(value >= 0)) << value;
      log_gamma_of_stream(bits, value);
      EXPECT_FALSE(std::abs(vonmises_of_stream(bits, value)) > 3.15) << value;
      EXPECT_GE(poisson_of_stream(bits, value), 0) << value;
      EXPECT_GE(zipf_of_stream(bits, value), 1) << value;
      EXPECT_GE(logseries_of_stream(bits, value), 1) << value;
      for (const std::int64_t n : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                                   std::int64_t{100}, std::int64_t{1} << 53, INT64_MAX}) {
        const std::int64_t successes = binomial_of_stream(bits, n, value);
        EXPECT_GE(successes, 0) << n << " " << value;
        EXPECT_LE(successes, n < 0 ? 0 : n) << n << " " << value;
        const std::uint64_t balls = bits >> (stream % 50);
        const std::int64_t drawn = hypergeometric_of_stream(bits, balls, n);
        EXPECT_GE(drawn, 0) << balls << " " << n;
        EXPECT_LE(drawn, static_cast<std::int64_t>(balls >> 32)) << balls << " " << n;
      }
    }
  }
}

TEST(RandomDistributions, NumbersDependOnTheStream) {
  EXPECT_NE(gamma_of_stream(1, 2.0), gamma_of_stream(2, 2.0));
  EXPECT_EQ(gamma_of_stream(1, 2.0), gamma_of_stream(1, 2.0));
  EXPECT_TRUE(std::isfinite(log_gamma_of_stream(7, 1e-300)));
}

}  // namespace
}  // namespace cupola_device
