// The rows of ufuncs.def on values whose results NumPy defines: special values, wrap-around,
// division by zero. Every row is instantiated for every loop by AllLoops.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "codegen/device_tests/special_values.h"
#include "codegen/ufunc_expressions.h"

namespace cupola_device {
namespace {

using cupola::DType;
using cupola::UfuncId;

constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

// One call per loop, on zeros.
template <UfuncId Id, std::size_t I>
int run_loop() {
  constexpr cupola::UfuncLoop kLoop = UfuncExpression<Id>::table.loops[I];
  using A = device_type_t<kLoop.types[0]>;
  using B = device_type_t<kLoop.types[kLoop.input_count > 1 ? 1 : 0]>;
  using C = device_type_t<kLoop.types[kLoop.input_count > 2 ? 2 : 0]>;
  const auto a = load_input<Id>(A{});
  const auto b = load_input<Id>(B{});
  const auto c = load_input<Id>(C{});
  [[maybe_unused]] auto first =
      cast<device_type_t<kLoop.types[kLoop.input_count]>>(UfuncExpression<Id>::first(a, b, c));
  if constexpr (kLoop.output_count == 2) {
    [[maybe_unused]] auto second =
        cast<device_type_t<kLoop.types[kLoop.input_count + 1]>>(UfuncExpression<Id>::second(a, b));
  }
  return 1;
}

template <UfuncId Id, std::size_t... I>
int run_row(std::index_sequence<I...>) {
  return (run_loop<Id, I>() + ... + 0);
}

template <std::size_t... Row>
int run_rows(std::index_sequence<Row...>) {
  return (run_row<static_cast<UfuncId>(Row)>(
              std::make_index_sequence<UfuncExpression<static_cast<UfuncId>(Row)>::table.count>{}) +
          ... + 0);
}

// Of all quotients only significands and results below the normal numbers differ.
TEST(DeviceMath, HalvesAreDividedExactly) {
  int wrong = 0;
  const auto check = [&](std::uint32_t a_bits, std::uint32_t b_bits) {
    const float a = to_float(float16{static_cast<std::uint16_t>(a_bits)});
    const float b = to_float(float16{static_cast<std::uint16_t>(b_bits)});
    const std::uint16_t expected = to_float16(a / b).bits;
    const float reciprocal = 1 / b;
    for (const float r :
         {std::nextafter(reciprocal, 0.0F), reciprocal, std::nextafter(reciprocal, 1e9F)}) {
      wrong += to_float16(refined_half_quotient(a, b, r)).bits != expected;
    }
  };
  for (std::uint32_t b = 0; b < 1024; ++b) {
    for (std::uint32_t a = 0; a < 1024; ++a) check(0x3C00 + a, 0x3C00 + b);
    for (std::uint32_t a = 0; a < 512; ++a) check(a, 0x3C00 + b);
    for (std::uint32_t a = 0; a < 256; ++a) check(0x0C00 + 4 * a, 0x7000 + b);
  }
  EXPECT_EQ(wrong, 0);
  for (const double a : {0.0, -0.0, 1.0, -2.0, kInf, -kInf, kNan}) {
    for (const double b : {0.0, -0.0, 1.0, -2.0, kInf, -kInf, kNan}) {
      const auto x = static_cast<float>(a), y = static_cast<float>(b);
      const float found = refined_half_quotient(x, y, 1 / y), expected = x / y;
      EXPECT_TRUE(std::isnan(expected)
                      ? std::isnan(found)
                      : bit_cast<std::uint32_t>(found) == bit_cast<std::uint32_t>(expected))
          << a << " / " << b;
    }
  }
}

TEST(DeviceMath, EveryLoopOfEveryRowRuns) {
  int loops = 0;
  for (const cupola::UfuncInfo& info : cupola::all_ufuncs()) {
    loops += static_cast<int>(info.loops.size());
  }
  EXPECT_EQ(run_rows(std::make_index_sequence<cupola::kUfuncCount>{}), loops);
}

// Equal with the same sign, or both NaN.
void expect_same(double got, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << got;
  } else {
    EXPECT_EQ(got, expected);
    EXPECT_EQ(std::signbit(got), std::signbit(expected)) << got << " for " << expected;
  }
}

TEST(IntegerMath, WrapsAround) {
  EXPECT_EQ(add<int32_t>(2147483647, 1), -2147483647 - 1);
  EXPECT_EQ(multiply<uint16_t>(65535, 65535), 1);
  EXPECT_EQ(negative<int8_t>(-128), -128);
  EXPECT_EQ(absolute<int64_t>(INT64_MIN), INT64_MIN);
  EXPECT_EQ(power<int8_t>(-3, 5), 13);
  EXPECT_EQ(power<int32_t>(0, 0), 1);
}

TEST(IntegerMath, DivisionByZeroGivesZero) {
  EXPECT_EQ(floor_divide<int8_t>(5, 0), 0);
  EXPECT_EQ(remainder<uint64_t>(5, 0), 0u);
  EXPECT_EQ(fmod<int16_t>(-5, 0), 0);
  EXPECT_EQ(reciprocal<int32_t>(0), INT32_MIN);
  EXPECT_EQ(reciprocal<int8_t>(0), 0);
}

TEST(IntegerMath, QuotientIsFlooredAndRemainderFollowsTheDivisor) {
  EXPECT_EQ(floor_divide<int8_t>(-128, -1), -128);
  EXPECT_EQ(remainder<int8_t>(-128, -1), 0);
  EXPECT_EQ(floor_divide<int32_t>(-7, 2), -4);
  EXPECT_EQ(remainder<int32_t>(-7, 2), 1);
  EXPECT_EQ(remainder<int32_t>(7, -2), -1);
  EXPECT_EQ(fmod<int32_t>(-7, 2), -1);
}

TEST(IntegerMath, DivisorsAndMultiples) {
  EXPECT_EQ(gcd<int8_t>(-128, 0), -128);
  EXPECT_EQ(gcd<int8_t>(-12, 18), 6);
  EXPECT_EQ(lcm<int8_t>(-4, 6), 12);
  EXPECT_EQ(lcm<int8_t>(0, 0), 0);
  EXPECT_EQ(lcm<int8_t>(-128, -1), -128);
}

TEST(Bits, ShiftsBeyondTheWidth) {
  EXPECT_EQ(left_shift<int8_t>(1, 7), -128);
  EXPECT_EQ(left_shift<int8_t>(1, 8), 0);
  EXPECT_EQ(left_shift<int8_t>(1, -1), 0);
  EXPECT_EQ(right_shift<int8_t>(-1, 100), -1);
  EXPECT_EQ(right_shift<uint32_t>(7, 32), 0u);
  EXPECT_EQ(bitwise_count<int8_t>(-1), 1);
  EXPECT_EQ(bitwise_count<int8_t>(-128), 1);
  EXPECT_EQ(bitwise_count<uint64_t>(~uint64_t{0}), 64);
  EXPECT_EQ(invert(true), false);
}

TEST(Compare, IntegersOfDifferentSignByValue) {
  EXPECT_TRUE(less(int64_t{-1}, uint64_t{0}));
  EXPECT_FALSE(less(~uint64_t{0}, int64_t{-1}));
  EXPECT_FALSE(equal(int64_t{-1}, ~uint64_t{0}));
  EXPECT_TRUE(greater_equal(uint64_t{1} << 63, INT64_MAX));
}

TEST(Compare, NanComesThroughMaximumAndLosesInFmax) {
  expect_same(maximum(kNan, 1.0), kNan);
  expect_same(minimum(1.0, kNan), kNan);
  expect_same(fmax(kNan, 1.0), 1.0);
  expect_same(fmin(1.0, kNan), 1.0);
  expect_same(fmin(kNan, kNan), kNan);
}

TEST(Compare, ComplexNumbersInLexicalOrder) {
  EXPECT_TRUE(less(complex128{1, 5}, complex128{2, 0}));
  EXPECT_TRUE(less(complex128{1, 5}, complex128{1, 6}));
  EXPECT_FALSE(less(complex128{1, kNan}, complex128{2, 0}));
  EXPECT_TRUE(std::isnan(maximum(complex128{5, 0}, complex128{9, kNan}).im));
  EXPECT_EQ(fmax(complex128{1, kNan}, complex128{2, 0}).re, 2.0);
}

TEST(RealMath, FloorDivideAndRemainder) {
  expect_same(floor_divide(7.0, -3.0), -3.0);
  expect_same(remainder(7.0, -3.0), -2.0);
  expect_same(floor_divide(-5.0, kInf), -1.0);
  expect_same(remainder(-5.0, kInf), kInf);
  expect_same(floor_divide(1.0, 0.0), kInf);
  expect_same(remainder(1.0, 0.0), kNan);
  expect_same(floor_divide(kInf, 2.0), kNan);
  expect_same(remainder(-0.0, 3.0), 0.0);
  expect_same(remainder(3.0, -3.0), -0.0);
}

TEST(RealMath, SignAndHeaviside) {
  expect_same(sign(-0.0), 0.0);
  expect_same(sign(kNan), kNan);
  expect_same(sign(-kInf), -1.0);
  expect_same(heaviside(0.0, -3.0), -3.0);
  expect_same(heaviside(kNan, 1.0), kNan);
  expect_same(heaviside(1.0, kNan), 1.0);
}

TEST(RealMath, RoundsHalvesToEven) {
  expect_same(rint(0.5), 0.0);
  expect_same(rint(2.5), 2.0);
  expect_same(rint(-0.5), -0.0);
}

TEST(RealMath, SumsOfExponentials) {
  expect_same(logaddexp(kInf, kInf), kInf);
  expect_same(logaddexp(-kInf, -kInf), -kInf);
  expect_same(logaddexp(kNan, 1.0), kNan);
  expect_same(logaddexp2(1000.0, 1000.0), 1001.0);
}

TEST(RealParts, SplitAndScale) {
  expect_same(modf_fraction(-kInf), -0.0);
  expect_same(modf_integer(-1.5), -1.0);
  expect_same(frexp_mantissa(kInf), kInf);
  EXPECT_EQ(frexp_exponent(kNan), 0);
  EXPECT_EQ(frexp_exponent(8.0), 4);
  expect_same(ldexp(1.5, int64_t{1} << 40), kInf);
  expect_same(ldexp(-1.5, -(int64_t{1} << 40)), -0.0);
}

TEST(RealParts, Spacing) {
  expect_same(spacing(0.0), kSmallest);
  expect_same(spacing(-1.0), -std::numeric_limits<double>::epsilon());
  expect_same(spacing(kLargest), kInf);
  expect_same(spacing(kInf), kNan);
  EXPECT_EQ(to_float(spacing(to_float16(-1.0f))), 0.00048828125f);
  EXPECT_EQ(to_float(spacing(to_float16(65504.0f))), std::numeric_limits<float>::infinity());
}

TEST(RealParts, NextAfterInSixteenBits) {
  const float16 one = to_float16(1.0f);
  EXPECT_EQ(nextafter(one, to_float16(2.0f)).bits, one.bits + 1);
  EXPECT_EQ(nextafter(one, to_float16(0.0f)).bits, one.bits - 1);
  EXPECT_EQ(nextafter(float16{0}, to_float16(-1.0f)).bits, 0x8001);
  EXPECT_EQ(nextafter(to_float16(65504.0f), to_float16(kInf)).bits, 0x7C00);
  EXPECT_EQ(to_float(nextafter(to_bfloat16(1.0f), to_bfloat16(2.0f))), 1.0078125f);
}

TEST(Cast, AgreesWithTheLibrarysSixteenBitTypes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    cupola::Float16 half;
    half.bits = static_cast<uint16_t>(bits);
    const float value = to_float(float16{half.bits});
    const float expected = static_cast<float>(half);
    ASSERT_EQ(std::memcmp(&value, &expected, sizeof value), 0) << bits;
    if (value == value) {
      ASSERT_EQ(to_float16(value).bits, bits);
    }
  }
}

TEST(Cast, OutOfRange) {
  EXPECT_EQ(cast<int32_t>(3e9), INT32_MIN);
  EXPECT_EQ(cast<uint8_t>(300.0f), 44);
  EXPECT_EQ(cast<int8_t>(kNan), 0);
  EXPECT_EQ(cast<uint64_t>(-1.0), ~uint64_t{0});
  EXPECT_EQ(cast<uint64_t>(kInf), 0u);
  EXPECT_EQ(cast<int64_t>(complex128{-7.9, 3}), -7);
  EXPECT_TRUE(cast<bool>(complex64{0, 1}));
  EXPECT_EQ(to_float(cast<float16>(1.00048828125 + 1e-12)), 1.0009765625f);
}

}  // namespace
}  // namespace cupola_device
