#include "cupola/ops/linalg.h"

#include "base/testing/message_of.h"
#include "cupola/ops/index.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::expect_values;
using testing::message_of;

TEST(Matmul, TypesAndVectors) {
  const Array a = counting<double>({2, 3});
  const Array b = counting<double>({3, 2});
  expect_values(matmul(a, b), {2, 2}, {10, 13, 28, 40});
  expect_values(matmul(a, counting<double>({3})), {2}, {5, 14});
  expect_values(matmul(counting<double>({2}), a), {3}, {3, 4, 5});
  expect_values(matmul(counting<double>({3}), counting<double>({3})), {}, {5});
  const Array whole = matmul(counting<std::int8_t>({2, 3}), counting<std::uint8_t>({3, 2}));
  EXPECT_EQ(whole.dtype(), DType::int16);
  expect_values(whole, {2, 2}, {10, 13, 28, 40});
  const Array bits = test::mask_of({1, 0, 0, 1}, {2, 2});
  expect_values(matmul(bits, bits), {2, 2}, {1, 0, 0, 1});
}

TEST(Matmul, StridedOperands) {
  const Array a = counting<double>({3, 2});
  const Array b = counting<double>({3, 2});
  expect_values(matmul(transpose(a), b), {2, 2}, {20, 26, 26, 35});
  expect_values(matmul(a, transpose(b)), {3, 3}, {1, 3, 5, 3, 13, 23, 5, 23, 41});
  const Array wide = get_index(counting<double>({3, 8}), {Slice{}, Slice{1, {}, 4}});
  expect_values(matmul(transpose(flip(a)), wide), {2, 2}, {49, 85, 22, 46});
  expect_values(matmul(broadcast_to(counting<double>({2}), {2, 2}), transpose(a)), {2, 3},
                {1, 3, 5, 1, 3, 5});
}

TEST(Matmul, Batches) {
  const Array stack = counting<double>({2, 1, 2, 2});
  const Array other = counting<double>({3, 2, 1});
  const Array product = matmul(stack, other);
  expect_values(product, {2, 3, 2, 1}, {1, 3, 3, 13, 5, 23, 5, 7, 23, 33, 41, 59});
  expect_values(matmul(counting<double>({2, 2, 2}), counting<double>({2, 1})), {2, 2, 1},
                {1, 3, 5, 7});
  expect_values(matmul(array_of<double>({}, {2, 0}), array_of<double>({}, {0, 2})), {2, 2},
                {0, 0, 0, 0});
}

TEST(Matmul, Output) {
  const Array a = counting<double>({2, 2});
  matmul(a, a, a);
  expect_values(a, {2, 2}, {2, 3, 6, 11});
  const Array narrow = counting<float>({2, 2});
  matmul(a, a, narrow);
  expect_values(narrow, {2, 2}, {22, 39, 78, 139});
  EXPECT_THROW(matmul(a, a, counting<std::int64_t>({2, 2})), CastingError);
  EXPECT_THROW(matmul(a, a, counting<double>({4})), ValueError);
}

TEST(Matmul, ShapeErrors) {
  EXPECT_EQ(message_of<ValueError>([] {
              matmul(counting<double>({2, 3}), counting<double>({2}));
            }).substr(0, 72),
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with guf");
  EXPECT_THROW(matmul(counting<double>({2, 2, 3}), counting<double>({3, 3, 2})), ValueError);
  EXPECT_EQ(message_of<ValueError>([] {
              dot(counting<double>({2, 3}), counting<double>({2}));
            }),
            "shapes (2, 3) and (2,) not aligned: 3 (dim 1) != 2 (dim 0)");
}

TEST(Products, Contractions) {
  const Array a = counting<double>({2, 3});
  expect_values(dot(a, counting<double>({2, 3, 2})), {2, 2, 2}, {10, 13, 28, 31, 28, 40, 100, 112});
  expect_values(dot(a, 2.0), {2, 3}, {0, 2, 4, 6, 8, 10});
  expect_values(inner(a, a), {2, 2}, {5, 14, 14, 50});
  expect_values(outer(counting<double>({2}), a), {2, 6}, {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5});
  expect_values(tensordot(a, a, {0, 1}, {0, 1}), {}, {55});
  const Array z = array_of<std::complex<double>>({{0, 1}, {2, 0}}, {2});
  expect_values(vdot(z, z), {}, {5});
  EXPECT_THROW(tensordot(a, a, {0}, {1}), ValueError);
}

}  // namespace
}  // namespace cupola
