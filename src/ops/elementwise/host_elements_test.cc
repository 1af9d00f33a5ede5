#include <array>

#include "base/testing/message_of.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/nested_numbers.h"
#include "cupola/runtime.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::cpu;
using test::expect_values;
using testing::message_of;

TEST(HostElements, NestedNumbersHaveAShapeAndADtype) {
  expect_values(array({{1, 2, 3}, {4, 5, 6}}), {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(array({1, 2}).dtype(), DType::int64);
  EXPECT_EQ(array({1.5F, 2}).dtype(), DType::float64);
  EXPECT_EQ(array({true, false}).dtype(), DType::bool_);
  EXPECT_EQ(array({true, 2}).dtype(), DType::int64);
  EXPECT_EQ(array({1, std::complex<float>(0, 1)}).dtype(), DType::complex128);
  EXPECT_EQ(array({Scalar(1.0F), Scalar(std::int8_t{1})}).dtype(), DType::float32);
  EXPECT_EQ(array({UINT64_MAX}).dtype(), DType::uint64);
  EXPECT_EQ(array({1, 2}, DType::float16).dtype(), DType::float16);
  expect_values(array({{5}}), {1, 1}, {5});
  expect_values(array({5}), {1}, {5});
  expect_values(array(5), {}, {5});
  EXPECT_EQ(array({}).shape(), (Dims{0}));
  EXPECT_EQ(array({{}, {}}).shape(), (Dims{2, 0}));
  EXPECT_EQ(array({}).dtype(), DType::float64);
  EXPECT_THROW(array({{1, 2}, {3}}), ValueError);
  EXPECT_THROW(array({{1, 2}, 3}), ValueError);
  EXPECT_THROW(array({1, {2, 3}}), ValueError);
  EXPECT_THROW(array({300}, DType::uint8), OverflowError);
}

TEST(HostElements, RangesOfNumbers) {
  expect_values(arange(3), {3}, {0, 1, 2});
  expect_values(arange(0, 10, 4), {3}, {0, 4, 8});
  expect_values(arange(1, 2, 0.25), {4}, {1, 1.25, 1.5, 1.75});
  EXPECT_EQ(arange(3).dtype(), DType::int64);
  EXPECT_EQ(arange(3.0F).dtype(), DType::float64);
  EXPECT_EQ(arange(3, DType::float32).dtype(), DType::float32);
  expect_values(linspace(0, 1, 3), {3}, {0, 0.5, 1});
  EXPECT_EQ(full({2}, 7).dtype(), DType::int64);
  EXPECT_EQ(full({2}, true).dtype(), DType::bool_);
  EXPECT_EQ(full({2}, Scalar(7.0F)).dtype(), DType::float32);
}

TEST(HostElements, MemoryKeepsItsType) {
  EXPECT_EQ(from_vector(std::vector<int>{1, 2}).dtype(), DType::int32);
  EXPECT_EQ(from_vector(std::vector<long long>{1}).dtype(), DType::int64);
  expect_values(from_vector(std::vector<bool>{true, false, true}), {3}, {1, 0, 1});
  const std::array<float, 3> floats{1, 2, 3};
  expect_values(from_span(floats), {3}, {1, 2, 3});
  expect_values(from_span(std::span(floats).last(2), cpu()), {2}, {2, 3});
  const double plain[] = {4, 5};
  EXPECT_EQ(from_span(plain).dtype(), DType::float64);
  EXPECT_EQ(from_span(std::span<const std::int8_t>()).shape(), (Dims{0}));
}

TEST(HostElements, VectorsAreRowMajor) {
  const Array a = counting<float>({2, 3});
  EXPECT_EQ(a.T().to_vector<float>(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(a.to_vector<double>(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ((a > 3).to_vector<bool>(), (std::vector<bool>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(a[a > 3].to_vector<float>(), (std::vector<float>{4, 5}));
  EXPECT_TRUE(zeros({0, 2}).to_vector<double>().empty());
  EXPECT_THROW(a.to_vector<int>(), CastingError);
}

TEST(HostElements, ItemsAreCheckedNotCut) {
  const Array a = array_of<std::int64_t>({-1, 300, INT64_MAX}, {3});
  EXPECT_EQ(a[1].item<int>(), 300);
  EXPECT_EQ(a[1].item<std::size_t>(), 300U);
  EXPECT_EQ(a[0].item<double>(), -1.0);
  EXPECT_EQ(a[1].item().get<std::int64_t>(), 300);
  EXPECT_EQ(message_of<OverflowError>([&] { return a[1].item<std::uint8_t>(); }),
            "300 does not fit uint8");
  EXPECT_THROW(a[0].item<std::uint64_t>(), OverflowError);
  EXPECT_THROW(a[2].item<int>(), OverflowError);
  EXPECT_THROW(a.item<int>(), ValueError);
  EXPECT_THROW((a[1] * 0.5).item<int>(), CastingError);
  EXPECT_EQ((a[1] * 0.5).item<float>(), 150.0F);
  EXPECT_EQ((a[1] > 0).item<bool>(), true);
  EXPECT_EQ((a[1] * std::complex<double>(0, 1)).item<std::complex<float>>().imag(), 300.0F);
}

TEST(HostElements, SpansShowTheMemoryItself) {
  Array a = counting<float>({2, 3});
  const std::span<float> elements = a.span<float>();
  elements[4] = 40;
  expect_values(a, {2, 3}, {0, 1, 2, 3, 40, 5});
  EXPECT_EQ((a + 1).span<const float>()[4], 41.0F);
  EXPECT_THROW(a.span<double>(), TypeError);
  EXPECT_THROW(a.T().span<float>(), ValueError);
  EXPECT_THROW(broadcast_to(a[0], {1, 3}).span<float>(), ValueError);
  EXPECT_EQ(a[1].span<float>().data(), elements.data() + 3);
}

// What was asked for before the host writes is computed from what was there then.
TEST(HostElements, PendingReadersSeeWhatWasThere) {
  Array a = full({1000}, 1.0, {}, cpu());
  const Array twice = a * 2;
  for (double& element : a.span<double>()) element = 5;
  EXPECT_EQ(twice[999].item<double>(), 2.0);
  EXPECT_EQ((a * 2)[999].item<double>(), 10.0);
}

TEST(HostElements, ArraysOverMemoryOfOthers) {
  std::vector<int> memory{1, 2, 3, 4};
  Array a = array_over(std::span(memory));
  a.reshape({2, 2})[1] *= 10;
  wait(a);
  EXPECT_EQ(memory, (std::vector<int>{1, 2, 30, 40}));
  EXPECT_FALSE(array_over(std::span<const int>(memory)).writable());
  auto owned = std::make_shared<std::vector<double>>(8, 2.5);
  const std::weak_ptr<std::vector<double>> watched = owned;
  {
    const Array shared = array_over(std::span(*owned), owned);
    owned.reset();
    EXPECT_EQ(shared.sum().item<double>(), 20.0);
    EXPECT_FALSE(watched.expired());
  }
  synchronize(cpu());
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace cupola
