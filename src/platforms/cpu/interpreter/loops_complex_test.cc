// Loops over complex numbers: errors of whole numbers, special values, and neighbours of both.

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platforms/cpu/interpreter/loops_test_support.h"

namespace cupola::cpu {
namespace {

using Complex = std::complex<double>;
using Exact = std::complex<long double>;

struct ComplexCase {
  UfuncId id;
  Exact (*exact)(const Exact&);
  Complex (*library)(const Complex&);
};
const ComplexCase kFunctions[] = {
    {UfuncId::sinh, std::sinh, std::sinh}, {UfuncId::cosh, std::cosh, std::cosh},
    {UfuncId::tanh, std::tanh, std::tanh}, {UfuncId::sin, std::sin, std::sin},
    {UfuncId::cos, std::cos, std::cos},    {UfuncId::tan, std::tan, std::tan}};

std::vector<Complex> random_numbers(double range) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> part(-range, range);
  std::vector<Complex> values(20003);
  for (Complex& value : values) value = {part(generator), part(generator)};
  return values;
}

// In units of the last place of the exact number's size.
double error_of(Complex result, Exact exact) {
  const auto size = static_cast<double>(std::abs(exact));
  const double unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(std::abs(Exact(result) - exact)) / unit;
}

TEST(ComplexLoops, FunctionsAreAccurate) {
  for (const double range : {1e-3, 1.0, 8.0, 21.0}) {
    const std::vector<Complex> values = random_numbers(range);
    for (const ComplexCase& function : kFunctions) {
      const std::vector<Complex> results = results_of<Complex>(function.id, {values});
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_LT(error_of(results[i], function.exact(values[i])), 5.0)
            << ufunc_info(function.id).name << values[i];
      }
    }
  }
}

bool are_same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(ComplexLoops, NumbersDoNotDependOnWhatStandsBesideThem) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double parts[] = {0.0, -0.0, 1.0, -3.0, 1e-310, 25.0, -800.0, 1e9, infinity, std::nan("")};
  std::vector<Complex> values = random_numbers(3.0);
  values.resize(500);
  for (const double re : parts) {
    for (const double im : parts) values.insert(values.begin() + 5, Complex(re, im));
  }
  for (const ComplexCase& function : kFunctions) {
    const std::vector<Complex> results = results_of<Complex>(function.id, {values});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Complex alone = results_of<Complex>(function.id, {{values[i]}})[0];
      ASSERT_TRUE(are_same(alone.real(), results[i].real()) &&
                  are_same(alone.imag(), results[i].imag()))
          << ufunc_info(function.id).name << values[i];
      const Complex expected = function.library(values[i]);
      if (!std::isfinite(std::abs(expected))) continue;
      EXPECT_LE(std::abs(results[i] - expected), 1e-14 * std::abs(expected))
          << ufunc_info(function.id).name << values[i];
      const bool are_zeros = expected.real() == 0 && expected.imag() == 0;
      EXPECT_TRUE(!are_zeros || are_same(expected.real(), results[i].real()))
          << ufunc_info(function.id).name << values[i];
    }
  }
}

template <typename T>
void expect_exact_arithmetic() {
  std::mt19937_64 generator(8);
  std::uniform_real_distribution<double> part(-3, 3);
  const T specials[] = {T(0), -T(0), std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN()};
  std::vector<std::complex<T>> values(1003);
  for (std::complex<T>& value : values) {
    const auto of_parts = [&] {
      return generator() % 8 == 0 ? specials[generator() % 4] : static_cast<T>(part(generator));
    };
    value = {of_parts(), of_parts()};
  }
  const auto squares = results_of<std::complex<T>>(UfuncId::square, {values});
  const auto products = results_of<std::complex<T>>(UfuncId::multiply, {values, values});
  const auto conjugates = results_of<std::complex<T>>(UfuncId::conjugate, {values});
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(are_same(squares[i].real(), products[i].real()) &&
                are_same(squares[i].imag(), products[i].imag()))
        << values[i] << squares[i] << products[i];
    ASSERT_TRUE(are_same(conjugates[i].real(), values[i].real()) &&
                are_same(conjugates[i].imag(), -values[i].imag()))
        << values[i];
  }
}

TEST(ComplexLoops, SquaresAreProductsAndConjugatesChangeOneSign) {
  expect_exact_arithmetic<float>();
  expect_exact_arithmetic<double>();
}

}  // namespace
}  // namespace cupola::cpu
