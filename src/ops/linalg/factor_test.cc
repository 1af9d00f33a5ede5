#include <cmath>

#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "cupola/ops/factorisations.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/linalg.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "cupola/transfer.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::expect_values;
using testing::message_of;

const auto kTwo = [] { return array_of<double>({4, 2, 1, 3}, {2, 2}); };

double only(const Array& a) { return item(a).get<double>(); }

TEST(Factor, SolveVectorsAndMatrices) {
  const Array a = kTwo();
  const Array x = solve(a, array_of<double>({8, 7}, {2}));
  EXPECT_EQ(x.shape(), Dims{2});
  EXPECT_NEAR(only(sum(x)), 1 + 2, 1e-12);
  expect_values(rint(matmul(a, solve(a, array_of<double>({8, 4, 7, 6}, {2, 2})))), {2, 2},
                {8, 4, 7, 6});
  expect_values(rint(matmul(inv(a), multiply(a, 3.0))), {2, 2}, {3, 0, 0, 3});
  EXPECT_EQ(solve(a, array_of<float>({1, 2}, {2})).dtype(), DType::float64);
  EXPECT_EQ(inv(array_of<std::int32_t>({4, 2, 1, 3}, {2, 2})).dtype(), DType::float64);
}

TEST(Factor, Determinants) {
  EXPECT_NEAR(only(det(kTwo())), 10, 1e-12);
  const auto [sign, logarithm] = slogdet(negative(kTwo()));
  EXPECT_EQ(only(sign), 1);
  EXPECT_NEAR(only(logarithm), std::log(10), 1e-12);
  EXPECT_NEAR(only(det(array_of<double>({0, 1, 1, 0}, {2, 2}))), -1, 1e-15);
  EXPECT_EQ(only(det(array_of<double>({1, 1, 1, 1}, {2, 2}))), 0);
}

TEST(Factor, FactorsMultiplyToTheMatrix) {
  const Array a = array_of<double>({4, 2, 2, 3}, {2, 2});
  const Array lower = cholesky(a);
  expect_values(rint(matmul(lower, transpose(lower))), {2, 2}, {4, 2, 2, 3});
  const auto [q, r] = qr(a);
  expect_values(rint(matmul(q, r)), {2, 2}, {4, 2, 2, 3});
  EXPECT_FALSE(qr(a, QrMode::r).q.has_value());
  const auto [values, vectors] = eigh(a);
  expect_values(rint(matmul(multiply(vectors, values), transpose(vectors))), {2, 2}, {4, 2, 2, 3});
  const auto [u, s, vh] = svd(a);
  expect_values(rint(matmul(multiply(u, s), vh)), {2, 2}, {4, 2, 2, 3});
}

TEST(Factor, EigenvaluesOfGeneralMatrices) {
  const Array a = array_of<double>({0, -2, 2, 0}, {2, 2});
  const auto [values, vectors] = eig(a);
  expect_values(rint(imag(values)), {2}, {2, -2});
  EXPECT_LT(only(max(absolute(subtract(matmul(a, vectors), multiply(vectors, values))))), 1e-12);
  expect_values(rint(real(eigvals(array_of<double>({3, 1, 0, 5}, {2, 2})))), {2}, {3, 5});
  EXPECT_EQ(eigvals(array_of<float>({}, {3, 0, 0})).shape(), (Dims{3, 0}));
  EXPECT_EQ(message_of<LinAlgError>([] {
              eig(array_of<double>({1, NAN, 2, 3}, {2, 2}));
            }),
            "Array must not contain infs or NaNs");
}

TEST(Factor, Errors) {
  const Array singular = array_of<double>({1, 1, 1, 1}, {2, 2});
  EXPECT_EQ(message_of<LinAlgError>([&] { inv(singular); }), "Singular matrix");
  EXPECT_TRUE(std::isnan(only(sum(inv(singular, OnFailure::nan)))));
  const Array both = array_of<double>({1, 1, 1, 1, 4, 2, 1, 3}, {2, 2, 2});
  expect_values(isnan(solve(both, both, OnFailure::nan)), {2, 2, 2}, {1, 1, 1, 1, 0, 0, 0, 0});
  expect_values(isnan(solve(singular, array_of<double>({1, 2}, {2}), OnFailure::nan)), {2}, {1, 1});
  expect_values(isnan(cholesky(negative(kTwo()), Triangle::lower, OnFailure::nan)), {2, 2},
                {1, 1, 1, 1});
  EXPECT_EQ(message_of<LinAlgError>([&] { cholesky(negative(kTwo())); }),
            "Matrix is not positive definite");
  EXPECT_EQ(message_of<LinAlgError>([] {
              det(array_of<double>({1, 2}, {1, 2}));
            }),
            "Last 2 dimensions of the array must be square: the shape is (1, 2)");
  EXPECT_EQ(message_of<LinAlgError>([] {
              svd(array_of<double>({1, 2}, {2}));
            }),
            "1-dimensional array given. Array must be at least two-dimensional");
  EXPECT_THROW(solve(kTwo(), array_of<double>({1}, {1})), ValueError);
  EXPECT_THROW(inv(array_of<Float16>({Float16(1.0F)}, {1, 1})), TypeError);
}

}  // namespace
}  // namespace cupola
