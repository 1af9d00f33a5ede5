// Reductions, scans and segments on a GPU against plain loops.

#include <cmath>
#include <limits>

#include "codegen/device/kernel_arguments.cuh"
#include "platforms/cuda/gpu_tests/cuda_test_support.h"

namespace cupola::cuda {
namespace {

using plans::kContiguous;
using plans::kStrided;

const std::vector<std::int64_t> kLengths{1,    2,    3,    4,    5,     31,    33,    127,   129,
                                         1000, 1024, 1025, 4096, 16384, 16385, 50000, 200001};

class GpuRows : public GpuTest {
 protected:
  // Rows by length; the elements of a row are next to each other, or a column apart.
  template <class T>
  std::vector<T> reduce(UfuncId id, const std::vector<Stored<T>>& values, std::int64_t rows,
                        std::int64_t length, bool columns, bool wide = false) {
    const bool aligned = !columns;
    KernelPlan plan = plans::reduce(PlanKind::reduce, id, dtype_of<T>, dtype_of<T>, dtype_of<T>,
                                    columns ? kStrided : kContiguous, aligned, 2, 1, kStrided);
    plan.wide_index = wide;
    void* out = poisoned(static_cast<std::size_t>(rows) * sizeof(T));
    const Dims strides = columns ? Dims{1, rows} : Dims{length, 1};
    launch(plan, {{rows, length}, {{upload(values), strides}}, {{out, {1, 0}}}, {}});
    std::vector<T> result = download<T>(out, static_cast<std::size_t>(rows));
    release();
    return result;
  }

  template <class T>
  void check_sums(std::int64_t rows, std::int64_t length, bool columns, bool wide = false) {
    const auto values = small_numbers<T>(static_cast<std::size_t>(rows * length), 3);
    const auto result = reduce<T>(UfuncId::add, values, rows, length, columns, wide);
    for (std::int64_t r = 0; r < rows; ++r) {
      double expected = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        const auto at = static_cast<std::size_t>(columns ? i * rows + r : r * length + i);
        expected += static_cast<double>(values[at]);
      }
      ASSERT_EQ(static_cast<double>(result[static_cast<std::size_t>(r)]), expected)
          << rows << " x " << length << (columns ? " columns" : " rows");
    }
  }
};

TEST_F(GpuRows, SumsOfEveryLength) {
  for (const std::int64_t length : kLengths) {
    for (const std::int64_t rows : {1, 3, 70}) {
      if (rows * length > 4000000) continue;
      check_sums<float>(rows, length, false);
      check_sums<double>(rows, length, false);
      check_sums<float>(rows, length, true);
      check_sums<std::int64_t>(rows, length, true);
    }
  }
  check_sums<float>(100000, 7, false);
  check_sums<float>(100000, 8, false);
  check_sums<float>(5000, 300, true);
  check_sums<std::int32_t>(513, 20000, false, true);
  check_sums<std::int32_t>(513, 20000, true, true);
}

TEST_F(GpuRows, TheSameBitsEveryTime) {
  const auto values = random_numbers<float>(1000003, 5);
  const auto first = reduce<float>(UfuncId::add, values, 1, 1000003, false);
  double exact = 0;
  for (const float value : values) exact += static_cast<double>(value);
  EXPECT_NEAR(static_cast<double>(first[0]), exact, 0.02);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(reduce<float>(UfuncId::add, values, 1, 1000003, false)[0], first[0]);
  }
}

TEST_F(GpuRows, ExtremesAndNaN) {
  auto values = random_numbers<float>(40000, 6);
  EXPECT_EQ(reduce<float>(UfuncId::maximum, values, 1, 40000, false)[0],
            *std::max_element(values.begin(), values.end()));
  values[777] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(reduce<float>(UfuncId::maximum, values, 1, 40000, false)[0]));
  const auto columns = reduce<float>(UfuncId::minimum, values, 100, 400, true);
  EXPECT_TRUE(std::isnan(columns[77]));
  EXPECT_FALSE(std::isnan(columns[78]));
}

TEST_F(GpuRows, OrderIsKeptWhereItMatters) {
  const auto values = random_numbers<float>(300 * 5, 7);
  const auto result = reduce<float>(UfuncId::subtract, values, 5, 300, false);
  for (std::size_t r = 0; r < 5; ++r) {
    float expected = values[r * 300];
    for (std::size_t i = 1; i < 300; ++i) expected -= values[r * 300 + i];
    EXPECT_EQ(result[r], expected);
  }
}

TEST_F(GpuRows, SeveralReducedDimensionsAndAProgram) {
  // The sum over dimensions 0 and 2 of a half-precision array, given as kept, reduced, reduced.
  std::vector<Float16> values(6 * 50 * 70);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = Float16(static_cast<float>(i % 3));
  const KernelPlan plan =
      plans::reduce(PlanKind::reduce, UfuncId::add, DType::float16, DType::float32, DType::float16,
                    kStrided, false, 3, 2, kStrided);
  void* out = poisoned(50 * 2);
  launch(plan, {{50, 6, 70}, {{upload(values), {70, 3500, 1}}}, {{out, {1, 0, 0}}}, {}});
  const auto result = download<Float16>(out, 50);
  for (std::size_t k = 0; k < 50; ++k) {
    float expected = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 70; ++j) {
        expected += static_cast<float>(values[i * 3500 + k * 70 + j]);
      }
    }
    EXPECT_EQ(static_cast<float>(result[k]), expected);
  }
  const auto x = small_numbers<float>(4 * 600, 8);
  void* sums = poisoned(16);
  launch(plans::fused_reduce(), {{4, 600},
                                 {{upload(x), {600, 1}}, {upload(std::vector<float>{1}), {0, 0}}},
                                 {{sums, {1, 0}}},
                                 {}});
  const auto squares = download<float>(sums, 4);
  for (std::size_t r = 0; r < 4; ++r) {
    float expected = 0;
    for (std::size_t i = 0; i < 600; ++i) {
      expected += (x[r * 600 + i] - 1) * (x[r * 600 + i] - 1);
    }
    EXPECT_EQ(squares[r], expected);
  }
}

TEST_F(GpuRows, ArgumentsOfExtremes) {
  const auto f32 = DType::float32;
  const KernelPlan all = plans::reduce(PlanKind::arg_reduce, UfuncId::maximum, f32, f32,
                                       DType::int64, kContiguous, true, 1, 1, kStrided);
  const KernelPlan smallest = plans::reduce(PlanKind::arg_reduce, UfuncId::minimum, f32, f32,
                                            DType::int64, kStrided, false, 2, 1, kStrided);
  for (const std::int64_t length : kLengths) {
    auto values = small_numbers<float>(static_cast<std::size_t>(length), 9);
    void* out = poisoned(8);
    const auto check = [&](std::int64_t expected) {
      launch(all, {{length}, {{upload(values), {1}}}, {{out, {0}}}, {}});
      EXPECT_EQ(download<std::int64_t>(out, 1)[0], expected) << length;
    };
    check(std::max_element(values.begin(), values.end()) - values.begin());
    values[static_cast<std::size_t>(length / 2)] = NAN;
    values[static_cast<std::size_t>(length - 1)] = NAN;
    check(length / 2);
    release();
  }
  // 40 columns of 900 rows.
  const auto values = small_numbers<float>(40 * 900, 10);
  void* out = poisoned(40 * 8);
  launch(smallest, {{40, 900}, {{upload(values), {1, 40}}}, {{out, {1, 0}}}, {}});
  const auto result = download<std::int64_t>(out, 40);
  for (std::size_t c = 0; c < 40; ++c) {
    std::size_t best = 0;
    for (std::size_t r = 1; r < 900; ++r) {
      if (values[r * 40 + c] < values[best * 40 + c]) best = r;
    }
    EXPECT_EQ(result[c], static_cast<std::int64_t>(best));
  }
}

TEST_F(GpuRows, ComplexArgumentIsLexicographic) {
  const auto c128 = DType::complex128;
  std::vector<std::complex<double>> values{{1, 5}, {2, 1}, {2, 3}, {0, 9}, {2, 3}};
  const KernelPlan plan = plans::reduce(PlanKind::arg_reduce, UfuncId::maximum, c128, c128,
                                        DType::int64, kContiguous, true, 1, 1, kStrided);
  void* out = poisoned(8);
  launch(plan, {{5}, {{upload(values), {1}}}, {{out, {0}}}, {}});
  EXPECT_EQ(download<std::int64_t>(out, 1)[0], 2);
  values[3] = {0, NAN};
  launch(plan, {{5}, {{upload(values), {1}}}, {{out, {0}}}, {}});
  EXPECT_EQ(download<std::int64_t>(out, 1)[0], 3);
}

class GpuScan : public GpuRows {
 protected:
  template <class T>
  void check(std::int64_t rows, std::int64_t length, bool columns) {
    const auto count = static_cast<std::size_t>(rows * length);
    auto values = small_numbers<T>(count, 11);
    if (length > 1 << 22) {  // all sums are to be whole numbers of float32
      for (auto& value : values) value = static_cast<T>(value > 1);
    }
    const OperandLayout layout = columns ? kStrided : kContiguous;
    const KernelPlan plan = plans::reduce(PlanKind::scan, UfuncId::add, dtype_of<T>, dtype_of<T>,
                                          dtype_of<T>, layout, false, 2, 1, layout);
    const Dims strides = columns ? Dims{1, rows} : Dims{length, 1};
    void* out = poisoned(count * sizeof(T));
    launch(plan, {{rows, length}, {{upload(values), strides}}, {{out, strides}}, {}});
    const auto result = download<T>(out, count);
    for (std::int64_t r = 0; r < rows; ++r) {
      T sum = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        const auto at = static_cast<std::size_t>(columns ? i * rows + r : r * length + i);
        sum = static_cast<T>(sum + values[at]);
        ASSERT_EQ(result[at], sum) << rows << " x " << length << " at " << i;
      }
    }
    release();
  }
};

TEST_F(GpuScan, EveryLength) {
  for (const std::int64_t length : kLengths) {
    for (const std::int64_t rows : {1, 5}) {
      check<float>(rows, length, false);
      check<std::int64_t>(rows, length, true);
      check<double>(rows, length, true);
    }
  }
  check<std::int32_t>(1, 3000001, false);
  // Around groups of 32 tiles, and of 32 groups.
  for (const std::int64_t tiles : {31, 32, 33, 1023, 1024, 1025, 2049, 3100}) {
    check<float>(1, tiles * (cupola_device::kScanBytes / 4), false);
    check<std::int64_t>(2, tiles * (cupola_device::kScanBytes / 8) - 1, false);
  }
  check<float>(5000, 100, true);
  check<float>(5000, 100, false);
  check<std::int16_t>(300, 33, false);
}

TEST_F(GpuScan, HasTheSameBitsEveryTime) {
  const std::size_t count = 20000003;
  const void* in = upload(random_numbers<float>(count, 14));
  const KernelPlan plan = plans::reduce(PlanKind::scan, UfuncId::add, DType::float32,
                                        DType::float32, DType::float32, kContiguous, true, 1, 1);
  const auto length = static_cast<std::int64_t>(count);
  std::vector<float> first;
  for (int i = 0; i < 20; ++i) {
    void* out = poisoned(count * sizeof(float));
    launch(plan, {{length}, {{const_cast<void*>(in), {1}}}, {{out, {1}}}, {}});
    std::vector<float> result = download<float>(out, count);
    if (first.empty())
      first = std::move(result);
    else
      ASSERT_TRUE(first == result) << i;
    gpu()->synchronize(stream_);
    memory_.pop_back();
  }
}

TEST_F(GpuScan, OrderIsKeptWhereItMatters) {
  const auto values = random_numbers<float>(2 * 500, 12);
  const KernelPlan plan =
      plans::reduce(PlanKind::scan, UfuncId::divide, DType::float32, DType::float32, DType::float32,
                    kStrided, false, 2, 1, kStrided);
  void* out = poisoned(4000);
  launch(plan, {{2, 500}, {{upload(values), {500, 1}}}, {{out, {500, 1}}}, {}});
  const auto result = download<float>(out, 1000);
  for (std::size_t r = 0; r < 2; ++r) {
    float expected = values[r * 500];
    for (std::size_t i = 1; i < 500; ++i) {
      expected /= values[r * 500 + i];
      ASSERT_EQ(result[r * 500 + i], expected);
    }
  }
}

TEST_F(GpuRows, Segments) {
  const std::int64_t rows = 3, length = 10000;
  const auto values = small_numbers<float>(static_cast<std::size_t>(rows * length), 13);
  std::vector<std::int64_t> first{0, 5, 5, 100, 9999, 0, 42},
      last{5, 6, 40, 9000, 10000, 10000, 42};
  const auto segments = static_cast<std::int64_t>(first.size());
  std::vector<float> expected(static_cast<std::size_t>(rows * segments), -7);
  void* out = upload(expected);
  launch(plans::segments(UfuncId::add, DType::float32, 2),
         {{rows, segments},
          {{upload(values), {length, 1}}, {upload(first), {}}, {upload(last), {}}},
          {{out, {segments, 1}}},
          {}});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t s = 0; s + 1 < segments; ++s) {  // the last has no elements
      float sum = 0;
      const auto at = static_cast<std::size_t>(s);
      for (std::int64_t i = first[at]; i < last[at]; ++i) {
        sum += values[static_cast<std::size_t>(r * length + i)];
      }
      expected[static_cast<std::size_t>(r * segments + s)] = sum;
    }
  }
  EXPECT_EQ(download<float>(out, expected.size()), expected);
}

}  // namespace
}  // namespace cupola::cuda
