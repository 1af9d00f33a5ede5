#include "cupola/ops/reduce.h"

#include <cmath>
#include <limits>

#include "base/testing/message_of.h"
#include "core/ufunc.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::expect_values;
using test::mask_of;
using testing::message_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ReduceOptions along(const Dims& axes, bool keepdims = false) {
  ReduceOptions options;
  options.axes = axes;
  options.keepdims = keepdims;
  return options;
}

TEST(Reduce, SumsWidenAndKeepDimensions) {
  const Array a = counting<std::int8_t>({2, 3});
  const Array total = sum(a);
  EXPECT_EQ(total.dtype(), DType::int64);
  expect_values(total, {}, {15});
  expect_values(sum(a, along({0})), {3}, {3, 5, 7});
  expect_values(sum(a, along({-1}, true)), {2, 1}, {3, 12});
  expect_values(sum(a, along({0, 1}, true)), {1, 1}, {15});
  EXPECT_EQ(sum(counting<std::uint8_t>({2})).dtype(), DType::uint64);
  EXPECT_EQ(sum(array_of<Float16>({Float16(1.0f)}, {1})).dtype(), DType::float16);
}

TEST(Reduce, EmptyGivesIdentityOrRefuses) {
  const Array none = array_of<double>({}, {0, 3});
  expect_values(sum(none, along({0})), {3}, {0, 0, 0});
  expect_values(prod(none, along({0})), {3}, {1, 1, 1});
  expect_values(max(none, along({1})), {0}, {});
  EXPECT_EQ(message_of<ValueError>([&] { max(none, along({0})); }),
            "zero-size array to reduction operation maximum which has no identity");
  ReduceOptions options;
  options.initial = 3;
  expect_values(max(none, options), {}, {3});
}

TEST(Reduce, WhereAndInitial) {
  const Array a = counting<double>({2, 3});
  ReduceOptions options;
  options.where = mask_of({1, 0, 1}, {3});
  expect_values(sum(a, options), {}, {10});
  EXPECT_THROW(max(a, options), ValueError);
  options.initial = 1.0;
  options.axes = Dims{1};
  expect_values(max(a, options), {2}, {2, 5});
  options.where = mask_of({1, 0}, {2});
  EXPECT_THROW(sum(a, options), ValueError);
}

TEST(Reduce, OutTakesTheResult) {
  const Array a = counting<double>({2, 3});
  ReduceOptions options = along({0}, true);
  options.out = array_of<std::int64_t>({9, 9, 9}, {1, 3});
  EXPECT_TRUE(is_same(sum(a, options), options.out));
  expect_values(options.out, {1, 3}, {3, 5, 7});
  options.out = counting<double>({3});
  EXPECT_THROW(sum(a, options), ValueError);
}

TEST(Reduce, LogicalReductionsCastToBool) {
  const Array a = array_of<double>({0, kNan, 2, 0}, {2, 2});
  EXPECT_EQ(any(a).dtype(), DType::bool_);
  expect_values(all(a, along({1})), {2}, {0, 0});
  expect_values(any(a, along({0})), {2}, {1, 1});
  expect_values(count_nonzero(a), {}, {2});
}

TEST(Reduce, AxisErrors) {
  const Array a = counting<double>({2, 3});
  EXPECT_EQ(message_of<AxisError>([&] { sum(a, along({2})); }),
            "axis 2 is out of bounds for array of dimension 2");
  EXPECT_THROW(sum(a, along({0, -2})), ValueError);
  EXPECT_THROW(reduce_ufunc(UfuncId::subtract, a), ValueError);
  EXPECT_THROW(reduce_ufunc(UfuncId::equal, a, along({0})), TypeError);
}

TEST(Reduce, StrictOrderWithInitial) {
  ReduceOptions options;
  options.initial = 10.0;
  const Array a = array_of<double>({1, 2, 3}, {3});
  expect_values(reduce_ufunc(UfuncId::subtract, a), {}, {-4});
  expect_values(reduce_ufunc(UfuncId::subtract, a, options), {}, {4});
  options.where = mask_of({1, 0, 1}, {3});
  expect_values(reduce_ufunc(UfuncId::subtract, a, options), {}, {6});
}

TEST(Reduce, ArgReductions) {
  const Array a = array_of<double>({1, 7, 7, kNan, 2, 0}, {2, 3});
  expect_values(argmax(a, 1), {2}, {1, 0});
  expect_values(argmin(a), {}, {3});
  expect_values(argmin(a, 1, true), {2, 1}, {0, 0});
  EXPECT_THROW(argmax(array_of<double>({}, {0})), ValueError);
  expect_values(nan_argmin(a), {}, {5});
  EXPECT_THROW(nan_argmax(array_of<double>({kNan}, {1})), ValueError);
}

TEST(Reduce, Moments) {
  const Array a = counting<std::int32_t>({2, 2});
  EXPECT_EQ(mean(a).dtype(), DType::float64);
  expect_values(mean(a, along({0})), {2}, {1, 2});
  expect_values(var(a), {}, {1.25});
  expect_values(std(a, along({0}, true)), {1, 2}, {1, 1});
  expect_values(var(a, {}, 3), {}, {5});
  EXPECT_TRUE(std::isinf(test::values_of(var(a, {}, 4))[0]));
  const Array z = array_of<std::complex<float>>({{0, 1}, {0, -1}}, {2});
  EXPECT_EQ(var(z).dtype(), DType::float32);
  expect_values(var(z), {}, {1});
  EXPECT_TRUE(std::isnan(test::values_of(mean(array_of<float>({}, {0})))[0]));
}

TEST(Reduce, NanFormsSkipNan) {
  const Array a = array_of<double>({1, kNan, 3, 4}, {2, 2});
  expect_values(nan_sum(a, along({0})), {2}, {4, 4});
  expect_values(nan_prod(a), {}, {12});
  expect_values(nan_min(a), {}, {1});
  expect_values(nan_max(a, along({1})), {2}, {1, 4});
  expect_values(nan_mean(a, along({0}, true)), {1, 2}, {2, 4});
  expect_values(nan_var(a, along({0})), {2}, {1, 0});
  expect_values(nan_std(a, along({1})), {2}, {0, 0.5});
}

TEST(Reduce, Scans) {
  const Array a = counting<std::uint8_t>({2, 3});
  expect_values(cumsum(a), {6}, {0, 1, 3, 6, 10, 15});
  EXPECT_EQ(cumsum(a).dtype(), DType::uint64);
  expect_values(cumsum(a, 0), {2, 3}, {0, 1, 2, 3, 5, 7});
  expect_values(cumprod(array_of<double>({1, 2, 3}, {3})), {3}, {1, 2, 6});
  expect_values(accumulate_ufunc(UfuncId::subtract, counting<double>({4})), {4}, {0, -1, -3, -6});
  EXPECT_THROW(accumulate_ufunc(UfuncId::add, sum(a)), TypeError);
}

TEST(UfuncMethods, ReduceAt) {
  const Array a = counting<std::int64_t>({5});
  expect_values(reduceat_ufunc(UfuncId::add, a, array_of<std::int64_t>({3, 1}, {2})), {2}, {3, 10});
  EXPECT_EQ(message_of<IndexError>([&] {
              reduceat_ufunc(UfuncId::add, a, array_of<std::int64_t>({0, 9}, {2}));
            }),
            "index 9 out-of-bounds in add.reduceat [0, 5)");
}

TEST(UfuncMethods, OuterAndAt) {
  const Array a = counting<std::int64_t>({3});
  expect_values(outer_ufunc(UfuncId::add, a, counting<std::int64_t>({2})), {3, 2},
                {0, 1, 1, 2, 2, 3});
  const Array indices = array_of<std::int64_t>({0, 0, -1}, {3});
  at_ufunc(UfuncId::add, a, indices, 10);
  expect_values(a, {3}, {20, 1, 12});
  at_ufunc(UfuncId::negative, a, indices);
  expect_values(a, {3}, {20, 1, -12});
  const Array b = counting<double>({3});
  at_ufunc(UfuncId::ldexp, b, array_of<std::int64_t>({1, 1}, {2}), 2);
  expect_values(b, {3}, {0, 16, 2});
  EXPECT_THROW(at_ufunc(UfuncId::add, a, array_of<std::int64_t>({3}, {1}), 1), IndexError);
}

}  // namespace
}  // namespace cupola
