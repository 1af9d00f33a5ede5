// Errors and special values of mathematical functions.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cupola/float16.h"
#include "platforms/cpu/interpreter/loops_test_support.h"

namespace cupola::cpu {
namespace {

// In units of the last place of what is exact; 0 beyond the finite numbers.
template <typename T>
double error_of(T result, long double exact) {
  const T rounded = std::abs(static_cast<T>(exact));
  if (!std::isfinite(rounded)) return 0;
  const T unit = std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded;
  return static_cast<double>(std::abs(result - exact) / unit);
}

struct MathCase {
  UfuncId id;
  long double (*exact)(long double);
  double low, high;
};

class MathAccuracy : public ::testing::TestWithParam<MathCase> {
 protected:
  // Largest error in units of the last place.
  template <typename T>
  double largest_error() const {
    std::mt19937_64 generator(5);
    std::uniform_real_distribution<double> distribution(GetParam().low, GetParam().high);
    std::vector<T> values(100000);
    for (T& value : values) value = static_cast<T>(distribution(generator));
    const std::vector<T> results = results_of<T>(GetParam().id, {values});
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const long double exact = GetParam().exact(static_cast<long double>(values[i]));
      worst = std::max(worst, error_of(results[i], exact));
    }
    return worst;
  }
};

TEST_P(MathAccuracy, Float32) { EXPECT_LT(largest_error<float>(), 4.0); }
TEST_P(MathAccuracy, Float64) { EXPECT_LT(largest_error<double>(), 3.0); }

INSTANTIATE_TEST_SUITE_P(
    Functions, MathAccuracy,
    ::testing::Values(
        MathCase{UfuncId::exp, std::exp, -100, 88}, MathCase{UfuncId::exp2, std::exp2, -140, 127},
        MathCase{UfuncId::expm1, std::expm1, -1, 1}, MathCase{UfuncId::expm1, std::expm1, -60, 80},
        MathCase{UfuncId::log, std::log, 0, 4}, MathCase{UfuncId::log, std::log, 0.9, 1.1},
        MathCase{UfuncId::log2, std::log2, 0, 4}, MathCase{UfuncId::log10, std::log10, 0, 4},
        MathCase{UfuncId::log1p, std::log1p, -0.9, 1}, MathCase{UfuncId::sin, std::sin, -7, 7},
        MathCase{UfuncId::sin, std::sin, -1e6, 1e6}, MathCase{UfuncId::sin, std::sin, -1e9, 1e9},
        MathCase{UfuncId::cos, std::cos, -7, 7}, MathCase{UfuncId::cos, std::cos, -1e6, 1e6},
        MathCase{UfuncId::tan, std::tan, -7, 7}, MathCase{UfuncId::arcsin, std::asin, -1, 1},
        MathCase{UfuncId::arccos, std::acos, -1, 1}, MathCase{UfuncId::arctan, std::atan, -9, 9},
        MathCase{UfuncId::sinh, std::sinh, -9, 9}, MathCase{UfuncId::cosh, std::cosh, -9, 9},
        MathCase{UfuncId::tanh, std::tanh, -4, 4}, MathCase{UfuncId::arcsinh, std::asinh, -9, 9},
        MathCase{UfuncId::arccosh, std::acosh, 1, 9},
        MathCase{UfuncId::arctanh, std::atanh, -0.99, 0.99}));

struct MathOfTwo {
  UfuncId id;
  long double (*exact)(long double, long double);
  double (*library)(double, double);
};
const MathOfTwo kOfTwo[] = {{UfuncId::power, std::pow, std::pow},
                            {UfuncId::arctan2, std::atan2, std::atan2},
                            {UfuncId::hypot, std::hypot, std::hypot}};

// Of sizes from 2^-range to 2^range, of both signs.
template <typename T>
std::vector<T> of_all_sizes(unsigned seed, double range) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> exponent(-range, range);
  std::vector<T> values(100000);
  for (T& value : values) {
    value = static_cast<T>(std::exp2(exponent(generator)) * (generator() % 2 == 0 ? 1 : -1));
  }
  return values;
}

template <typename T>
void expect_accurate(const MathOfTwo& function, const std::vector<T>& a, const std::vector<T>& b) {
  const std::vector<T> results = results_of<T>(function.id, {a, b});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double exact = function.exact(a[i], b[i]);
    if (std::isnan(exact)) continue;
    ASSERT_LT(error_of(results[i], exact), 2.0)
        << ufunc_info(function.id).name << " " << a[i] << " " << b[i];
  }
}

template <typename T>
void expect_accurate(const MathOfTwo& function, double range) {
  expect_accurate(function, of_all_sizes<T>(1, range), of_all_sizes<T>(2, range));
}

// Bases from 1/2 to 2 and their neighbours to 1, whose powers are of all sizes.
template <typename T>
void expect_accurate_powers() {
  constexpr double kLargest = std::numeric_limits<T>::max_exponent;
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> logarithm(-1, 1), exponent(-kLargest, kLargest);
  for (const double size : {1.0, 0x1p-3, 0x1p-6, 0x1p-10, 0x1p-20}) {
    std::vector<T> a(20000), b(20000);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(std::exp2(size * logarithm(generator)));
      const double power = std::log2(static_cast<double>(a[i]));
      b[i] = static_cast<T>(power == 0 ? 1.0 : exponent(generator) / power);
    }
    expect_accurate(kOfTwo[0], a, b);
  }
}

TEST(Math, PowersAreAccurate) {
  expect_accurate_powers<float>();
  expect_accurate_powers<double>();
}

TEST(Math, FunctionsOfTwoAreAccurate) {
  for (const MathOfTwo& function : kOfTwo) {
    for (const double range : {3.0, 20.0, 120.0}) {
      expect_accurate<float>(function, range);
      expect_accurate<double>(function, range);
    }
  }
}

std::vector<float> sizes_of(const std::vector<std::complex<float>>& values) {
  const DType dtype = DType::complex64;
  const void* const input = values.data();
  std::vector<float> sizes(values.size());
  find_loop(UfuncId::absolute, find_loop_number(UfuncId::absolute, &dtype), 0)(
      &input, sizes.data(), static_cast<std::int64_t>(sizes.size()));
  return sizes;
}

TEST(Math, ComplexSizesAreAccurateWhateverStandsBesideThem) {
  for (const double range : {1.0, 3.0, 40.0, 126.0}) {
    const std::vector<float> re = of_all_sizes<float>(4, range), im = of_all_sizes<float>(5, range);
    std::vector<std::complex<float>> values;
    for (std::size_t i = 0; i < 20003; ++i) {
      values.emplace_back(i % 7 == 0 ? 0.0f : re[i], i % 5 == 0 ? 0.0f : im[i]);
    }
    const std::vector<float> sizes = sizes_of(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const long double exact = std::hypot(static_cast<long double>(values[i].real()),
                                           static_cast<long double>(values[i].imag()));
      ASSERT_LT(error_of(sizes[i], exact), 0.6) << values[i];
      ASSERT_EQ(sizes_of({values[i]})[0], sizes[i]) << values[i];
    }
  }
}

TEST(Math, SpecialComplexSizesAreTheCLibrarys) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float parts[] = {0.0f,   -0.0f, 1.0f,     -3.0f,     1e-45f,
                         1e-30f, 3e38f, infinity, -infinity, std::nanf("")};
  std::vector<std::complex<float>> values;
  for (const float re : parts) {
    for (const float im : parts) values.emplace_back(re, im);
  }
  const std::vector<float> sizes = sizes_of(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float expected = std::hypot(values[i].real(), values[i].imag());
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(sizes[i])) << values[i];
    } else {
      EXPECT_FLOAT_EQ(sizes[i], expected) << values[i];
    }
  }
}

template <typename T>
void expect_accurate_roots(double range) {
  const std::vector<T> values = of_all_sizes<T>(3, range);
  const std::vector<T> results = results_of<T>(UfuncId::cbrt, {values});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double exact = std::cbrt(static_cast<long double>(values[i]));
    ASSERT_LT(error_of(results[i], exact), instruction_set() == "baseline" ? 4.0 : 0.6)
        << values[i];
  }
}

TEST(Math, CubeRootsAreAccurate) {
  expect_accurate_roots<float>(126);
  expect_accurate_roots<double>(1022);
}

template <typename T>
void expect_special_values_of_two(const std::vector<T>& values) {
  std::vector<T> a, b;
  for (const T x : values) {
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (const MathOfTwo& function : kOfTwo) {
    const std::vector<T> results = results_of<T>(function.id, {a, b});
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto expected = static_cast<T>(function.library(a[i], b[i]));
      const auto what = fmt::format("{} {} {}", ufunc_info(function.id).name, a[i], b[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(results[i])) << what;
      } else if (sizeof(T) == 4) {
        EXPECT_FLOAT_EQ(results[i], expected) << what;
        EXPECT_EQ(std::signbit(results[i]), std::signbit(expected)) << what;
      } else {
        EXPECT_DOUBLE_EQ(results[i], expected) << what;
        EXPECT_EQ(std::signbit(results[i]), std::signbit(expected)) << what;
      }
    }
  }
}

TEST(Math, SpecialValuesOfTwoAreTheCLibrarys) {
  const double infinity = std::numeric_limits<double>::infinity();
  expect_special_values_of_two<double>({0.0, -0.0, infinity, -infinity, std::nan(""), 1.0, -1.0,
                                        2.0, -3.0, 0.5, 1e-310, 1e308, -1e308});
  const float endless = std::numeric_limits<float>::infinity();
  expect_special_values_of_two<float>(
      {0.0f,   -0.0f,  endless, -endless,    std::nanf(""), 1.0f,     -1.0f,
       2.0f,   -3.0f,  0.5f,    -0.5f,       3.0f,          1e-40f,   1e38f,
       -1e38f, 127.0f, 150.0f,  16777216.0f, 1e9f,          0.99999f, 1.00001f});
}

// Functions of float32 and of 16-bit floats have loops of their own.
TEST(Math, SpecialFloatsAreTheCLibrarys) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0.0f,  -0.0f,  infinity, -infinity, std::nanf(""), 1.0f,   -1.0f,
                                  2.0f,  -2.0f,  1e-40f,   -1e-40f,   3e38f,         -3e38f, 88.0f,
                                  89.0f, -87.0f, -104.0f,  127.5f,    -149.0f,       1e-45f};
  const std::pair<UfuncId, float (*)(float)> functions[] = {
      {UfuncId::exp, std::exp},     {UfuncId::exp2, std::exp2},   {UfuncId::expm1, std::expm1},
      {UfuncId::log, std::log},     {UfuncId::log2, std::log2},   {UfuncId::log10, std::log10},
      {UfuncId::log1p, std::log1p}, {UfuncId::cbrt, std::cbrt},   {UfuncId::arccosh, std::acosh},
      {UfuncId::sin, std::sin},     {UfuncId::cos, std::cos},     {UfuncId::tan, std::tan},
      {UfuncId::arccos, std::acos}, {UfuncId::arctan, std::atan}, {UfuncId::sinh, std::sinh},
      {UfuncId::cosh, std::cosh},   {UfuncId::tanh, std::tanh},   {UfuncId::arctanh, std::atanh}};
  std::vector<Float16> halves;
  for (const float value : values) halves.emplace_back(value);
  for (const auto& [id, function] : functions) {
    const std::vector<float> results = results_of<float>(id, {values});
    const std::vector<Float16> half_results = results_of<Float16>(id, {halves});
    const auto expect = [&, id = id, function = function](float value, float result, float error) {
      const float expected = function(value);
      const auto what = fmt::format("{}({}) is {}", ufunc_info(id).name, value, result);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(result)) << what;
      } else if (std::isinf(expected) || expected == 0) {
        EXPECT_EQ(result, expected) << what;
        EXPECT_EQ(std::signbit(result), std::signbit(expected)) << what;
      } else {
        EXPECT_NEAR(result, expected, error * std::abs(expected) + 3e-45f) << what;
      }
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
      expect(values[i], results[i], 4e-7f);
      const auto half = static_cast<float>(halves[i]);
      const auto rounded = static_cast<float>(Float16(function(half)));
      const auto got = static_cast<float>(half_results[i]);
      EXPECT_TRUE(got == rounded ? std::signbit(got) == std::signbit(rounded)
                                 : std::isnan(got) && std::isnan(rounded))
          << ufunc_info(id).name << "(" << half << ") is " << got;
    }
  }
}

TEST(Math, SpecialValuesAreTheCLibrarys) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0.0,  -0.0,   infinity, -infinity, std::nan(""), 1.0,
                                   -1.0, 2.0,    -2.0,     1e-310,    1e308,        -1e308,
                                   710., -745.2, 1e22,     -1e22};
  const std::pair<UfuncId, double (*)(double)> functions[] = {
      {UfuncId::exp, std::exp},     {UfuncId::expm1, std::expm1},   {UfuncId::log, std::log},
      {UfuncId::log1p, std::log1p}, {UfuncId::sin, std::sin},       {UfuncId::cos, std::cos},
      {UfuncId::tan, std::tan},     {UfuncId::tanh, std::tanh},     {UfuncId::sinh, std::sinh},
      {UfuncId::arcsin, std::asin}, {UfuncId::arccosh, std::acosh}, {UfuncId::arctanh, std::atanh},
      {UfuncId::cbrt, std::cbrt}};
  for (const auto& [id, function] : functions) {
    const std::vector<double> results = results_of<double>(id, {values});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = function(values[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(results[i])) << ufunc_info(id).name << "(" << values[i] << ")";
      } else {
        EXPECT_DOUBLE_EQ(results[i], expected) << ufunc_info(id).name << "(" << values[i] << ")";
        EXPECT_EQ(std::signbit(results[i]), std::signbit(expected));
      }
    }
  }
}

template <typename T>
void expect_neighbours() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0),
                           T(1),
                           Limits::denorm_min(),
                           Limits::min(),
                           Limits::max(),
                           T(1.5),
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           T(0x1p-130),
                           std::nextafter(Limits::min(), T(0))};
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  std::vector<T> from, to;
  for (const T a : values) {
    for (const T b : values) {
      from.push_back(a);
      to.push_back(b);
    }
  }
  const std::vector<T> results = results_of<T>(UfuncId::nextafter, {from, to});
  for (std::size_t i = 0; i < from.size(); ++i) {
    const T expected = std::nextafter(from[i], to[i]);
    ASSERT_TRUE(std::isnan(expected)
                    ? std::isnan(results[i])
                    : results[i] == expected && std::signbit(results[i]) == std::signbit(expected))
        << from[i] << " " << to[i] << " " << results[i];
  }
}

TEST(Math, NeighboursAreTheCLibrarys) {
  expect_neighbours<float>();
  expect_neighbours<double>();
}

// Also where the first results take the place of what they are of.
template <typename T, typename Second>
void expect_pairs(UfuncId id) {
  const DType dtype = dtype_of<T>;
  const int number = find_loop_number(id, &dtype);
  const PairFunction pair = find_pair(id, number);
  ASSERT_NE(pair, nullptr);
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T specials[] = {T(0),
                        -T(0),
                        kInfinity,
                        -kInfinity,
                        std::numeric_limits<T>::quiet_NaN(),
                        std::numeric_limits<T>::denorm_min(),
                        -std::numeric_limits<T>::min() / 3,
                        std::numeric_limits<T>::max(),
                        T(-0.75),
                        T(1000.5),
                        T(-7)};
  for (std::size_t count = 1; count < 70; ++count) {
    std::vector<T> values(count), first(count), together(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = specials[(i * 5 + count) % 11];
    std::vector<Second> second(count), others(count + 1, Second(77));
    const void* input = values.data();
    const auto size = static_cast<std::int64_t>(count);
    find_loop(id, number, 0)(&input, first.data(), size);
    find_loop(id, number, 1)(&input, second.data(), size);
    pair(&input, together.data(), others.data(), size);
    EXPECT_EQ(others.back(), Second(77));
    EXPECT_EQ(std::memcmp(together.data(), first.data(), count * sizeof(T)), 0);
    EXPECT_EQ(std::memcmp(others.data(), second.data(), count * sizeof(Second)), 0);
    std::fill(others.begin(), others.end(), Second(77));
    pair(&input, values.data(), others.data(), size);
    EXPECT_EQ(std::memcmp(values.data(), first.data(), count * sizeof(T)), 0);
    EXPECT_EQ(std::memcmp(others.data(), second.data(), count * sizeof(Second)), 0);
  }
}

TEST(Math, BothResultsAreTheSameTogether) {
  expect_pairs<float, std::int32_t>(UfuncId::frexp);
  expect_pairs<double, std::int32_t>(UfuncId::frexp);
  expect_pairs<float, float>(UfuncId::modf);
  expect_pairs<double, double>(UfuncId::modf);
}

}  // namespace
}  // namespace cupola::cpu
