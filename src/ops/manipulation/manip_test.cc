#include "cupola/ops/manip.h"

#include "base/testing/message_of.h"
#include "core/array_state.h"
#include "cupola/ops/creation.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::cpu;
using test::expect_values;
using testing::message_of;

TEST(Manip, ReshapeSharesOrCopies) {
  const Array a = counting<double>({2, 3});
  EXPECT_EQ(reshape(a, {3, -1}).state().storage, a.state().storage);
  expect_values(reshape(transpose(a), {6}), {6}, {0, 3, 1, 4, 2, 5});
  expect_values(reshape(a, {3, 2}, 'F'), {3, 2}, {0, 4, 3, 2, 1, 5});
  expect_values(ravel(a, 'F'), {6}, {0, 3, 1, 4, 2, 5});
  expect_values(ravel(transpose(a), 'K'), {6}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(message_of<ValueError>([&] {
              reshape(a, {4, -1});
            }),
            "cannot reshape array of size 6 into shape (4, -1)");
  EXPECT_THROW(reshape(transpose(a), {6}, 'C', false), ValueError);
}

TEST(Manip, Views) {
  const Array a = counting<double>({2, 3});
  expect_values(flip(a), {2, 3}, {5, 4, 3, 2, 1, 0});
  expect_values(moveaxis(counting<double>({1, 2, 3}), {0}, {2}), {2, 3, 1}, {0, 1, 2, 3, 4, 5});
  expect_values(diagonal(a, 1), {2}, {1, 5});
  EXPECT_EQ(diagonal(a, 7).size(), 0);
  EXPECT_FALSE(broadcast_to(a, {4, 2, 3}).writable());
  EXPECT_THROW(squeeze(a, Dims{0}), ValueError);
  EXPECT_EQ(squeeze(expand_dims(a, {0, 2})).shape(), a.shape());
  const std::vector<std::int64_t> points{1, 5, -1};
  const std::vector<Array> parts = split_at(counting<double>({4}), points);
  expect_values(parts[1], {3}, {1, 2, 3});
  expect_values(parts[2], {0}, {});
  expect_values(parts[3], {1}, {3});
}

TEST(Manip, OtherDtypes) {
  const Array z = array_of<std::complex<float>>({{1, 2}, {3, 4}}, {2});
  expect_values(real(z), {2}, {1, 3});
  expect_values(imag(z), {2}, {2, 4});
  expect_values(imag(counting<double>({2})), {2}, {0, 0});
  const Array bytes = view_as(array_of<std::int16_t>({1, 256}, {2}), DType::int8);
  expect_values(bytes, {4}, {1, 0, 0, 1});
  expect_values(view_as(bytes, DType::int16), {2}, {1, 256});
  EXPECT_THROW(view_as(counting<std::int8_t>({3}), DType::int16), ValueError);
}

TEST(Manip, Joins) {
  const std::vector<Array> pair{counting<double>({2, 2}), counting<double>({1, 2})};
  expect_values(concatenate(pair), {3, 2}, {0, 1, 2, 3, 0, 1});
  expect_values(concatenate(pair, std::nullopt), {6}, {0, 1, 2, 3, 0, 1});
  EXPECT_THROW(concatenate(pair, 1), ValueError);
  EXPECT_THROW(stack(pair), ValueError);
  const std::vector<Array> mixed{counting<std::int8_t>({2}), counting<float>({2})};
  EXPECT_EQ(stack(mixed).dtype(), DType::float32);
  expect_values(stack(mixed, -1), {2, 2}, {0, 0, 1, 1});
  const Array line = counting<double>({4});
  const std::vector<Array> halves = split_at(line, std::vector<std::int64_t>{2});
  concatenate(std::vector<Array>{halves[1], halves[0]}, 0, line);
  expect_values(line, {4}, {2, 3, 0, 1});
}

TEST(Manip, Repetition) {
  const Array a = counting<double>({2, 3});
  expect_values(roll(a, {1}), {2, 3}, {5, 0, 1, 2, 3, 4});
  expect_values(roll(a, {1, -1}, Dims{0, 1}), {2, 3}, {4, 5, 3, 1, 2, 0});
  expect_values(tile(counting<double>({2}), {2, 2}), {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1});
  expect_values(repeat(a, std::vector<std::int64_t>{2}, 0), {4, 3},
                {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expect_values(repeat(counting<double>({3}), std::vector<std::int64_t>{0, 2, 1}), {3}, {1, 1, 2});
  EXPECT_THROW(repeat(a, std::vector<std::int64_t>{1, 2}, 1), ValueError);
}

TEST(Creation, RangesAndMatrices) {
  const auto weak = [](auto value) { return Scalar::weak(value); };
  const Array whole =
      arange(weak(std::int64_t{5}), weak(std::int64_t{0}), weak(std::int64_t{-2}), {}, cpu());
  EXPECT_EQ(whole.dtype(), DType::int64);
  expect_values(whole, {3}, {5, 3, 1});
  expect_values(arange(weak(0.0), weak(1.0), weak(0.25), {}, cpu()), {4}, {0, 0.25, 0.5, 0.75});
  expect_values(arange(weak(0.0), weak(2.0), weak(0.5), DType::int64, cpu()), {4}, {0, 0, 0, 0});
  EXPECT_THROW(arange(weak(0.0), weak(1e30), weak(1.0), {}, cpu()), ValueError);
  expect_values(linspace(weak(std::int64_t{0}), weak(std::int64_t{1}), 3, true, {}, cpu()), {3},
                {0, 0.5, 1});
  EXPECT_THROW(linspace(weak(0.0), weak(1.0), -1, true, {}, cpu()), ValueError);
  expect_values(eye(2, 3, 1, DType::int8, cpu()), {2, 3}, {0, 1, 0, 0, 0, 1});
  expect_values(tri(2, 3, -1, DType::int8, cpu()), {2, 3}, {0, 0, 0, 1, 0, 0});
  expect_values(triu(counting<double>({2, 2})), {2, 2}, {0, 1, 0, 3});
  expect_values(diag(array_of<double>({1, 2}, {2}), -1), {3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0});
  EXPECT_THROW(zeros({-1}, DType::int8, cpu()), ValueError);
  EXPECT_THROW(full({2}, weak(std::int64_t{300}), DType::int8, cpu()), OverflowError);
  expect_values(full({2}, weak(2.5), DType::int8, cpu(), 'F'), {2}, {2, 2});
}

}  // namespace
}  // namespace cupola
