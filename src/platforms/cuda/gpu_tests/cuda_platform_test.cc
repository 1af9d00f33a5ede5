// Maps, gathers and scatters on a GPU against plain loops.

#include <bit>
#include <cmath>
#include <limits>
#include <thread>

#include "platforms/cuda/gpu_tests/cuda_test_support.h"

namespace cupola::cuda {
namespace {

using plans::kContiguous;
using plans::kStrided;

class GpuMap : public GpuTest {
 protected:
  // out = id(a, b) through the device, for operands of one layout.
  template <class T>
  std::vector<T> binary(UfuncId id, const std::vector<T>& a, const std::vector<T>& b,
                        bool aligned) {
    const std::size_t shift = aligned ? 0 : 1;
    const KernelPlan plan = plans::binary(id, dtype_of<T>, kContiguous, aligned);
    void* out = upload(std::vector<T>(a.size()), shift);
    const auto count = static_cast<std::int64_t>(a.size());
    launch(plan, {{count}, {{upload(a, shift), {1}}, {upload(b, shift), {1}}}, {{out, {1}}}, {}});
    std::vector<T> result = download<T>(out, a.size());
    release();
    return result;
  }

  template <class T>
  void expect_bits(UfuncId id, T (*reference)(T, T)) {
    const T tiny = std::numeric_limits<T>::denorm_min();
    const T huge = std::numeric_limits<T>::max();
    const T infinity = std::numeric_limits<T>::infinity();
    std::vector<T> special{0,          T(-0.0),  1,         T(-1.5),
                           tiny,       -tiny,    tiny * 77, huge,
                           -huge,      infinity, -infinity, std::numeric_limits<T>::min(),
                           T(1) / T(3)};
    std::vector<T> a = random_numbers<T>(10007, 1), b = random_numbers<T>(10007, 2);
    for (std::size_t i = 0; i < special.size() * special.size(); ++i) {
      a[i] = special[i / special.size()];
      b[i] = special[i % special.size()];
    }
    const std::vector<T> result = binary(id, a, b, true);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T expected = reference(a[i], b[i]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(result[i])) << a[i] << " " << b[i];
      } else {
        ASSERT_EQ(std::memcmp(&result[i], &expected, sizeof(T)), 0)
            << a[i] << " " << b[i] << ": " << result[i] << " for " << expected;
      }
    }
  }
};

TEST_F(GpuMap, HasTheBitsOfTheHost) {
  expect_bits<float>(UfuncId::add, [](float a, float b) { return a + b; });
  expect_bits<float>(UfuncId::subtract, [](float a, float b) { return a - b; });
  expect_bits<float>(UfuncId::multiply, [](float a, float b) { return a * b; });
  expect_bits<float>(UfuncId::divide, [](float a, float b) { return a / b; });
  expect_bits<double>(UfuncId::add, [](double a, double b) { return a + b; });
  expect_bits<double>(UfuncId::divide, [](double a, double b) { return a / b; });
  expect_bits<double>(UfuncId::multiply, [](double a, double b) { return a * b; });
}

TEST_F(GpuMap, SquareRootAndFusedStepsAreNotContracted) {
  const std::vector<float> a = random_numbers<float>(4099, 3), b = random_numbers<float>(4099, 4);
  PlanBuilder p(PlanKind::map, 1);
  const auto x = p.load(DType::float32, kContiguous, true);
  const auto y = p.load(DType::float32, kContiguous, true);
  const auto s = p.scalar(DType::float32);
  const auto product = p.ufunc(UfuncId::multiply, x, y, DType::float32);
  const auto sum = p.ufunc(UfuncId::add, product, s, DType::float32);
  p.store(sum, kContiguous, true);
  p.store(p.ufunc(UfuncId::sqrt, sum, -1, DType::float32), kContiguous, true);
  void* first = poisoned(4099 * 4);
  void* second = poisoned(4099 * 4);
  launch(p.take(), {{4099},
                    {{upload(a), {1}}, {upload(b), {1}}},
                    {{first, {1}}, {second, {1}}},
                    {Scalar(0.1F)}});
  const auto sums = download<float>(first, 4099);
  const auto roots = download<float>(second, 4099);
  for (std::size_t i = 0; i < a.size(); ++i) {
    volatile float multiplied = a[i] * b[i];
    const float expected = multiplied + 0.1F;
    ASSERT_EQ(sums[i], expected);
    if (expected >= 0) {
      ASSERT_EQ(roots[i], std::sqrt(expected));
    }
  }
}

TEST_F(GpuMap, EverySize) {
  for (const bool aligned : {true, false}) {
    for (const std::size_t count :
         {1U, 2U, 3U, 4U, 5U, 15U, 16U, 17U, 255U, 1023U, 1024U, 1025U, 2048U, 4097U, 100003U}) {
      const auto a = small_numbers<float>(count, 5), b = small_numbers<float>(count, 6);
      const auto sum = binary<float>(UfuncId::add, a, b, aligned);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sum[i], a[i] + b[i]) << count << " " << i;
      const auto c = small_numbers<std::int8_t>(count, 7), d = small_numbers<std::int8_t>(count, 8);
      const auto product = binary<std::int8_t>(UfuncId::multiply, c, d, aligned);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(product[i], c[i] * d[i]) << count;
    }
  }
}

TEST_F(GpuMap, StridesOfAnySign) {
  const Dims extents{5, 7, 33};
  const auto a = random_numbers<double>(5 * 7 * 33 * 2, 9), b = random_numbers<double>(7, 10);
  for (const bool wide : {false, true}) {
    KernelPlan plan = plans::binary(UfuncId::add, DType::float64, kStrided, false, 3);
    plan.wide_index = wide;
    auto* base = static_cast<double*>(upload(a));
    void* out = poisoned(5 * 7 * 33 * 8);
    // a reversed along its first and last dimension, every other element; b along the middle.
    launch(plan, {extents,
                  {{base + 4 * 7 * 66 + 64, {-7 * 66, 66, -2}}, {upload(b), {0, 1, 0}}},
                  {{out, {7 * 33, 1, 7}}},
                  {}});
    const auto result = download<double>(out, 5 * 7 * 33);
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 7; ++j) {
        for (int k = 0; k < 33; ++k) {
          const auto from = static_cast<std::size_t>((4 - i) * 7 * 66 + j * 66 + 64 - 2 * k);
          const auto to = static_cast<std::size_t>(i * 7 * 33 + j + 7 * k);
          ASSERT_EQ(result[to], a[from] + b[static_cast<std::size_t>(j)]);
        }
      }
    }
  }
}

template <class T>
class GpuTransposed : public GpuTest {};
using ItemSizes = ::testing::Types<std::uint8_t, std::uint16_t, float, double>;
TYPED_TEST_SUITE(GpuTransposed, ItemSizes);

TYPED_TEST(GpuTransposed, Copies) {
  using T = TypeParam;
  const KernelPlan plan = plans::transposed(dtype_of<T>, false);
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {64, 128}, {131, 257}, {512, 1040}, {33, 5000}, {1001, 64}}) {
    for (const std::size_t shift : {0U, 1U}) {
      const auto count = static_cast<std::size_t>(rows * columns);
      const auto a = small_numbers<T>(count, 12);
      void* out = this->poisoned(count * sizeof(T));
      this->launch(
          plan,
          {{rows, columns}, {{this->upload(a, shift), {1, rows}}}, {{out, {columns, 1}}}, {}});
      const auto result = this->template download<T>(out, count);
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        ASSERT_EQ(result[static_cast<std::size_t>(i)],
                  a[static_cast<std::size_t>(i % columns * rows + i / columns)])
            << rows << " x " << columns << " at " << i;
      }
      this->release();
    }
  }
}

TEST_F(GpuMap, SelectsCastsAndNumbers) {
  const std::int64_t rows = 37, columns = 65;
  const auto count = static_cast<std::size_t>(rows * columns);
  const auto x = random_numbers<float>(count, 11);
  std::vector<Float16> row(static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = Float16(static_cast<float>(i) / 8);
  void* out = poisoned(count * 8);
  void* less = poisoned(count);
  launch(plans::mixed(), {{rows, columns},
                          {{upload(x), {columns, 1}},
                           {upload(row), {0, 1}},
                           {upload(std::vector<double>{0.5}), {0, 0}}},
                          {{out, {1, rows}}, {less, {columns, 1}}},
                          {Scalar(0.25F)}});
  const auto sums = download<double>(out, count);
  const auto flags = download<unsigned char>(less, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t r = i / 65, c = i % 65;
    const float chosen = x[i] < 0.25F ? static_cast<float>(row[c]) * 0.25F : static_cast<float>(i);
    ASSERT_EQ(flags[i], x[i] < 0.25F ? 1 : 0);
    ASSERT_EQ(sums[c * 37 + r], static_cast<double>(chosen) + 0.5);
  }
}

TEST_F(GpuMap, Gathers) {
  std::vector<std::complex<float>> table(100);
  for (std::size_t i = 0; i < 100; ++i) table[i] = {static_cast<float>(i), -1};
  std::vector<std::int64_t> offsets(1001);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int64_t>(i * 37 % 100);
  void* out = poisoned(1001 * 8);
  launch(plans::gather(DType::complex64),
         {{1, 1001}, {{upload(table), {}}, {upload(offsets), {0, 1}}}, {{out, {1001, 1}}}, {}});
  const auto result = download<std::complex<float>>(out, 1001);
  for (std::size_t i = 0; i < 1001; ++i) {
    ASSERT_EQ(result[i], table[static_cast<std::size_t>(offsets[i])]);
  }
}

TEST_F(GpuMap, ScatterKeepsTheLast) {
  for (const std::size_t count : {10U, 1000U, 2048U, 2049U, 200000U}) {
    for (const int places : {3, 777, 1000000}) {
      std::mt19937 random(static_cast<unsigned>(count));
      std::vector<float> values(count);
      std::vector<std::int64_t> offsets(count);
      std::vector<unsigned char> where(count);
      std::vector<float> expected(static_cast<std::size_t>(places), -1);
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(i);
        offsets[i] = static_cast<std::int64_t>(random() % static_cast<unsigned>(places));
        where[i] = random() % 4 != 0;
        if (where[i]) expected[static_cast<std::size_t>(offsets[i])] = values[i];
      }
      void* out = upload(std::vector<float>(static_cast<std::size_t>(places), -1));
      launch(plans::scatter(DType::float32, true, {}),
             {{static_cast<std::int64_t>(count)},
              {{upload(values), {1}}, {upload(offsets), {1}}, {upload(where), {1}}},
              {{out, {}}},
              {}});
      ASSERT_EQ(download<float>(out, expected.size()), expected) << count << " " << places;
      release();
    }
  }
}

class GpuCombine : public GpuTest {
 protected:
  template <class T>
  void check(UfuncId id, T (*combine)(T, T), std::size_t count, int places) {
    std::mt19937 random(17);
    std::vector<T> values(count), expected(static_cast<std::size_t>(places), T(1));
    std::vector<std::int64_t> offsets(count);
    void* out = upload(expected);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<T>(static_cast<float>(1 + random() % 2));
      offsets[i] = static_cast<std::int64_t>(random() % static_cast<unsigned>(places));
      T& place = expected[static_cast<std::size_t>(offsets[i])];
      place = combine(place, values[i]);
    }
    launch(plans::scatter(dtype_of<T>, false, {id}),
           {{static_cast<std::int64_t>(count)},
            {{upload(values), {1}}, {upload(offsets), {1}}},
            {{out, {}}},
            {}});
    const std::vector<T> result = download<T>(out, expected.size());
    ASSERT_EQ(std::memcmp(result.data(), expected.data(), expected.size() * sizeof(T)), 0)
        << name_of(dtype_of<T>);
    release();
  }
};

TEST_F(GpuCombine, OnceForEveryElement) {
  check<float>(
      UfuncId::add, [](float a, float b) { return a + b; }, 100000, 50);
  check<double>(
      UfuncId::subtract, [](double a, double b) { return a - b; }, 100000, 50);
  check<std::int8_t>(
      UfuncId::add, [](std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a + b); },
      10000, 101);
  check<std::uint16_t>(
      UfuncId::add,
      [](std::uint16_t a, std::uint16_t b) { return static_cast<std::uint16_t>(a + b); }, 100000,
      7);
  check<std::int64_t>(
      UfuncId::maximum, [](std::int64_t a, std::int64_t b) { return std::max(a, b); }, 1000, 1000);
  using Complex = std::complex<double>;
  check<Complex>(
      UfuncId::add, [](Complex a, Complex b) { return a + b; }, 50000, 3);
  using Single = std::complex<float>;
  check<Single>(
      UfuncId::add, [](Single a, Single b) { return a + b; }, 50000, 3);
}

TEST_F(GpuCombine, InOrderWhereItMatters) {
  check<std::int32_t>(
      UfuncId::floor_divide, [](std::int32_t a, std::int32_t b) { return a / b; }, 1000, 400);
  check<std::int64_t>(
      UfuncId::left_shift, [](std::int64_t a, std::int64_t b) { return a << b; }, 900, 100);
}

TEST_F(GpuMap, FirstUseByManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  PlanBuilder p(PlanKind::map, 1);
  const auto x = p.load(DType::int16, kContiguous, true);
  p.store(p.ufunc(UfuncId::bitwise_xor, x, x, DType::int16), kContiguous, true);
  const KernelPlan plan = p.take();
  void* data = upload(std::vector<std::int16_t>(1000, 5));
  const std::shared_ptr<Kernel> kernel = gpu()->build(plan, 0);
  gpu()->synchronize(stream_);
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&] {
      const StreamHandle stream = gpu()->create_stream(0);
      const Memory out(2000);
      gpu()->launch(kernel, {{1000}, {{data, {1}}}, {{out.data(), {1}}}, {}}, stream);
      std::vector<std::int16_t> result(1000, 1);
      gpu()->copy_to_host(result.data(), out.data(), 2000, stream);
      for (const auto value : result) wrong += value != 0;
      gpu()->destroy_stream(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cupola::cuda
