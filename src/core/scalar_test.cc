#include "cupola/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cupola/error.h"

namespace cupola {
namespace {

using Limits32 = std::numeric_limits<std::int32_t>;

TEST(Scalar, RemembersValueAndType) {
  const Scalar value(2.5f);
  EXPECT_EQ(value.dtype(), DType::float32);
  EXPECT_EQ(value.weak_kind(), std::nullopt);
  EXPECT_EQ(value.get<float>(), 2.5f);
  EXPECT_EQ(Scalar::weak(std::int64_t{3}).weak_kind(), WeakKind::integer);
  EXPECT_EQ(Scalar::from_bytes(DType::float32, value.data()).get<float>(), 2.5f);
}

TEST(Scalar, RealsTruncateToIntegers) {
  EXPECT_EQ(Scalar(-1.7).cast(DType::int8).get<std::int8_t>(), -1);
  EXPECT_EQ(Scalar(300.0).cast(DType::uint8).get<std::uint8_t>(), 44);
  EXPECT_EQ(Scalar(-1.0).cast(DType::uint64).get<std::uint64_t>(), ~std::uint64_t{0});
  EXPECT_EQ(Scalar(1.8e19).cast(DType::uint64).get<std::uint64_t>(), 18000000000000000000u);
}

TEST(Scalar, WhatAnIntegerCannotHoldBecomesTheLowest) {
  EXPECT_EQ(Scalar(3e9).cast(DType::int32).get<std::int32_t>(), Limits32::min());
  EXPECT_EQ(Scalar(std::nan("")).cast(DType::int32).get<std::int32_t>(), Limits32::min());
  EXPECT_EQ(Scalar(std::nan("")).cast(DType::int8).get<std::int8_t>(), 0);
}

TEST(Scalar, ComplexKeepsItsRealPart) {
  const Scalar value(std::complex<double>(2, 3));
  EXPECT_EQ(value.cast(DType::int16).get<std::int16_t>(), 2);
  EXPECT_TRUE(Scalar(std::complex<float>(0, 1)).cast(DType::bool_).get<bool>());
  EXPECT_EQ(Scalar(Float16(1.5f)).to_complex(), std::complex<double>(1.5, 0));
}

TEST(Scalar, DoubleIsRoundedToSixteenBitsOnce) {
  // Halfway between two halves as a float, a little above as a double.
  const double value = 1.00048828125 + 1e-12;
  EXPECT_EQ(static_cast<float>(Scalar(value).cast(DType::float16).get<Float16>()), 1.0009765625f);
  EXPECT_EQ(static_cast<float>(Scalar(65519.9999999).cast(DType::float16).get<Float16>()), 65504);
}

TEST(Scalar, AWeakIntegerMustFit) {
  EXPECT_EQ(Scalar::weak(std::int64_t{255}).cast(DType::uint8).get<std::uint8_t>(), 255);
  EXPECT_EQ(Scalar::weak(std::int64_t{300}).cast(DType::float32).get<float>(), 300.0f);
  EXPECT_THROW(Scalar::weak(std::int64_t{-1}).cast(DType::uint8), OverflowError);
  try {
    Scalar::weak(std::int64_t{300}).cast(DType::int8);
    FAIL();
  } catch (const OverflowError& error) {
    EXPECT_STREQ(error.what(), "Python integer 300 out of bounds for int8");
  }
}

TEST(Scalar, PrintsAsPythonDoes) {
  EXPECT_EQ(Scalar(true).to_string(), "True");
  EXPECT_EQ(Scalar(1.0).to_string(), "1.0");
  EXPECT_EQ(Scalar(std::int8_t{-5}).to_string(), "-5");
  EXPECT_EQ(Scalar(std::complex<double>(1, -2)).to_string(), "(1-2j)");
}

}  // namespace
}  // namespace cupola
