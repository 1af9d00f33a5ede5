#include "ops/indexing/value_range.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "cupola/cupola.h"
#include "graph/node.h"

namespace cupola {
namespace {

using Ends = std::pair<std::int64_t, std::int64_t>;

class ValueRange : public ::testing::Test {
 protected:
  // Stored values of which nothing is known but their dtype.
  Array any(DType dtype) const {
    Array array = zeros({5}, dtype, device_);
    fill_with_ones(array);
    return array;
  }
  Ends ends(const Array& array) const {
    const KnownRange range = value_range(array);
    return {range.least, range.largest};
  }
  Array number(std::int64_t value, DType dtype = DType::int64) const {
    return make_scalar(Scalar(value).cast(dtype), {}, device_);
  }
  Ends of(UfuncId ufunc, std::int64_t value, DType dtype = DType::int64) const {
    return ends(make_ufunc(ufunc, {any(dtype), number(value, dtype)}));
  }

  const Device device_{PlatformKind::cpu, 0};

 private:
  static void fill_with_ones(Array& array) { set_index(array, {Slice{}}, Scalar(1)); }
};

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST_F(ValueRange, OfWhatNothingIsKnownIsThatOfTheDtype) {
  EXPECT_EQ(ends(any(DType::uint8)), Ends(0, 255));
  EXPECT_EQ(ends(any(DType::int16)), Ends(-32768, 32767));
  EXPECT_EQ(ends(any(DType::int64)), Ends(kLeast, kLargest));
  EXPECT_FALSE(value_range(any(DType::uint64)).is_known());
  EXPECT_FALSE(value_range(any(DType::float32)).is_known());
}

TEST_F(ValueRange, OfOneNumberAndAnyOthers) {
  EXPECT_EQ(of(UfuncId::bitwise_and, 255), Ends(0, 255));
  EXPECT_EQ(of(UfuncId::bitwise_and, 255, DType::uint64), Ends(0, 255));
  EXPECT_EQ(of(UfuncId::bitwise_and, -2), Ends(kLeast, kLargest));
  EXPECT_EQ(of(UfuncId::remainder, 10), Ends(0, 9));
  EXPECT_EQ(of(UfuncId::remainder, 0), Ends(kLeast, kLargest));
  EXPECT_EQ(of(UfuncId::remainder, -10), Ends(kLeast, kLargest));
  EXPECT_EQ(of(UfuncId::floor_divide, 100, DType::int16), Ends(-328, 327));
  EXPECT_EQ(of(UfuncId::right_shift, 4, DType::uint8), Ends(0, 15));
  EXPECT_EQ(of(UfuncId::right_shift, 8, DType::uint8), Ends(0, 255));
}

TEST_F(ValueRange, WrapsWhereTheDtypeEnds) {
  EXPECT_EQ(of(UfuncId::add, 1, DType::uint8), Ends(0, 255));
  EXPECT_EQ(of(UfuncId::add, 1), Ends(kLeast, kLargest));
  const Array wide = make_cast(any(DType::int8), DType::int16);
  EXPECT_EQ(ends(make_ufunc(UfuncId::add, {wide, number(1, DType::int16)})), Ends(-127, 128));
  EXPECT_EQ(ends(make_cast(wide, DType::uint8)), Ends(0, 255));
  EXPECT_EQ(ends(make_ufunc(UfuncId::absolute, {any(DType::int8)})), Ends(-128, 127));
  EXPECT_EQ(ends(make_ufunc(UfuncId::absolute, {wide})), Ends(0, 128));
  EXPECT_EQ(ends(make_ufunc(UfuncId::negative, {wide})), Ends(-127, 128));
}

TEST_F(ValueRange, OfSeveralOperations) {
  const Array low = make_ufunc(UfuncId::maximum, {any(DType::int64), number(-3)});
  const Array clipped = make_ufunc(UfuncId::minimum, {low, number(7)});
  EXPECT_EQ(ends(clipped), Ends(-3, 7));
  EXPECT_EQ(ends(make_ufunc(UfuncId::multiply, {clipped, number(-2)})), Ends(-14, 6));
  EXPECT_EQ(ends(make_ufunc(UfuncId::floor_divide, {clipped, number(2)})), Ends(-2, 3));
  const Array natural = make_ufunc(UfuncId::bitwise_and, {any(DType::int64), number(9)});
  EXPECT_EQ(ends(make_ufunc(UfuncId::bitwise_or, {natural, number(2)})), Ends(0, 15));
  const Array condition = make_ufunc(UfuncId::less, {clipped, natural});
  EXPECT_EQ(ends(make_select(condition, clipped, natural)), Ends(-3, 9));
  EXPECT_EQ(ends(make_cast(condition, DType::int64)), Ends(0, 1));
  EXPECT_EQ(ends(make_arg_reduce(zeros({3, 4}, DType::float64, device_), {1}, UfuncId::maximum)),
            Ends(0, 3));
}

TEST_F(ValueRange, IsFoundInAShortTime) {
  Array array = any(DType::int64);
  for (int i = 0; i < 200; ++i) array = make_ufunc(UfuncId::bitwise_xor, {array, array});
  EXPECT_EQ(ends(array), Ends(kLeast, kLargest));
}

}  // namespace
}  // namespace cupola
