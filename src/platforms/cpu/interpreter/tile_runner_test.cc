// Plans run by the tile runner, against loops written out here.

#include "platforms/cpu/interpreter/tile_runner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver/testing/launch_builder.h"

namespace cupola::cpu {
namespace {

using cupola::testing::LaunchBuilder;
using cupola::testing::row_major;

std::vector<float> numbers(std::int64_t count, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-4, 4);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = distribution(generator);
  return values;
}

void run(const LaunchBuilder& builder) {
  const TileProgram program(builder.plan);
  check_arguments(program, builder.arguments);
  run_plan(program, builder.arguments);
}

// Sizes around tiles, vectors, leaves and chunks.
constexpr std::int64_t kSizes[] = {1, 2, 7, 63, 64, 65, 1023, 1025, 4097, 70001, 200003};

void check_expression(std::int64_t n) {
  const auto a = numbers(n, 1);
  const auto b = numbers(n, 2);
  std::vector<float> out(a.size());
  LaunchBuilder builder({n});
  const int x = builder.load(DType::float32, a.data());
  const int y = builder.load(DType::float32, b.data());
  const int two = builder.scalar(Scalar(2.0f));
  builder.store(builder.ufunc(UfuncId::add, {builder.ufunc(UfuncId::multiply, {x, two}), y}),
                out.data());
  run(builder);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], a[i] * 2 + b[i]) << i;
}

TEST(Map, ContiguousExpression) {
  for (const std::int64_t n : kSizes) check_expression(n);
}

// Tiles are short, and fetched ahead.
TEST(Map, WhatDoesNotFitIntoCaches) { check_expression((16 << 20) / 4 + 777); }

// out = a rolled + b, along both dimensions.
void check_rolled(std::int64_t rows, std::int64_t columns, std::int64_t down, std::int64_t right) {
  const auto a = numbers(rows * columns, 1), b = numbers(rows * columns, 2);
  std::vector<float> out(a.size());
  LaunchBuilder builder({rows, columns});
  const std::int64_t up = down > 0 ? rows - down : 0, left = right > 0 ? columns - right : 0;
  const int x = builder.load_turned(DType::float32, a.data() + up * columns + left, {columns, 1},
                                    {down, right});
  const int y = builder.load(DType::float32, b.data());
  builder.store(builder.ufunc(UfuncId::add, {x, y}), out.data());
  run(builder);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t from = (r + up) % rows * columns + (c + left) % columns;
      const std::int64_t at = r * columns + c;
      ASSERT_EQ(out[static_cast<std::size_t>(at)],
                a[static_cast<std::size_t>(from)] + b[static_cast<std::size_t>(at)])
          << to_string(builder.arguments.extents) << " " << r << " " << c;
    }
  }
}

TEST(Map, RolledOperands) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {2, 3}, {5, 64}, {7, 255}, {9, 256}, {3, 5000}, {600, 700}}) {
    for (const std::int64_t down : {std::int64_t{0}, std::int64_t{1}, rows - 1}) {
      for (const std::int64_t right :
           {std::int64_t{0}, std::int64_t{1}, columns / 2, columns - 1}) {
        if (down + right > 0) check_rolled(rows, columns, down, right);
      }
    }
  }
}

TEST(Map, RolledOperandsNeedTurns) {
  const auto a = numbers(8);
  std::vector<float> out(a.size());
  LaunchBuilder builder({8});
  builder.store(builder.load_turned(DType::float32, a.data() + 5, {1}, {3}), out.data());
  builder.arguments.turns.clear();
  EXPECT_THROW(run(builder), LaunchError);
}

// out = a + b.T (+ c along columns) over the last dimensions of a stack.
template <typename T>
void check_transposed(DType dtype, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                      std::int64_t step) {
  const auto count = static_cast<std::size_t>(batch * rows * columns);
  std::vector<T> a(count), b(count * static_cast<std::size_t>(step)), c(count), out(count);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i * 7 % 101);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i * 31 % 113);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<T>(i % 11);
  LaunchBuilder builder({rows, batch, columns});
  const int x = builder.load(dtype, a.data());
  const int y = builder.load(dtype, b.data(), {step, rows * columns * step, rows * step});
  const int z = builder.load(dtype, c.data(), {0, columns, 1});
  builder.store(builder.ufunc(UfuncId::add, {builder.ufunc(UfuncId::add, {x, y}), z}), out.data());
  run(builder);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t n = 0; n < batch; ++n) {
      for (std::int64_t col = 0; col < columns; ++col) {
        const auto at = static_cast<std::size_t>((r * batch + n) * columns + col);
        const auto from = static_cast<std::size_t>((n * rows * columns + col * rows + r) * step);
        const T expected = static_cast<T>(static_cast<T>(a[at] + b[from]) +
                                          c[static_cast<std::size_t>(n * columns + col)]);
        ASSERT_EQ(out[at], expected) << r << " " << n << " " << col;
      }
    }
  }
}

TEST(Map, TransposedOperands) {
  for (const auto& [batch, rows, columns] :
       {std::array<std::int64_t, 3>{1, 300, 517}, {3, 129, 260}, {70, 40, 33}, {1, 8, 70000}}) {
    for (const std::int64_t step : {1, 2}) {
      check_transposed<std::uint8_t>(DType::uint8, batch, rows, columns, step);
      check_transposed<float>(DType::float32, batch, rows, columns, step);
      check_transposed<double>(DType::float64, batch, rows, columns, step);
    }
  }
}

TEST(Map, InPlace) {
  std::vector<float> a = numbers(100000);
  const std::vector<float> before = a;
  LaunchBuilder builder({100000});
  const int x = builder.load(DType::float32, a.data());
  const int y = builder.ufunc(UfuncId::add, {x, builder.scalar(Scalar(1.0f))});
  builder.store(builder.ufunc(UfuncId::multiply, {y, x}), a.data());
  run(builder);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], (before[i] + 1) * before[i]);
}

TEST(Map, TwoOutputsSwapTheirInputs) {
  std::vector<float> a = numbers(5000, 1);
  std::vector<float> b = numbers(5000, 2);
  const auto old_a = a;
  const auto old_b = b;
  LaunchBuilder builder({5000});
  const int x = builder.load(DType::float32, a.data());
  const int y = builder.load(DType::float32, b.data());
  builder.store(y, a.data()).store(x, b.data());
  run(builder);
  EXPECT_EQ(a, old_b);
  EXPECT_EQ(b, old_a);
}

TEST(Map, StridedAndBroadcastOperands) {
  for (const Dims& shape : {Dims{3, 5, 7}, Dims{20, 300}, Dims{2, 40, 1000}, Dims{600, 600}}) {
    const std::int64_t n = shape[0] * shape[1] * (shape.size() > 2 ? shape[2] : 1);
    const auto a = numbers(2 * n);
    const auto row = numbers(shape.back(), 3);
    std::vector<float> out(static_cast<std::size_t>(n));
    // a with every second element, backwards; out transposed.
    Dims a_strides = row_major(shape);
    for (auto& stride : a_strides) stride *= -2;
    Dims row_strides(shape.size(), 0);
    row_strides.back() = 1;
    Dims out_strides(shape.size(), 1);
    for (std::size_t d = 1; d < shape.size(); ++d)
      out_strides[d] = out_strides[d - 1] * shape[d - 1];
    LaunchBuilder builder(shape);
    const int x = builder.load(DType::float32, a.data() + 2 * n - 2, a_strides);
    const int y = builder.load(DType::float32, row.data(), row_strides);
    builder.store(builder.ufunc(UfuncId::subtract, {x, y}), out.data(), out_strides);
    run(builder);
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t rest = i;
      std::int64_t place = 0;
      for (std::size_t d = shape.size(); d-- > 0;) {
        place += rest % shape[d] * out_strides[d];
        rest /= shape[d];
      }
      ASSERT_EQ(out[static_cast<std::size_t>(place)],
                a[static_cast<std::size_t>(2 * n - 2 - 2 * i)] -
                    row[static_cast<std::size_t>(i % shape.back())]);
    }
  }
}

TEST(Map, IndexSelectGatherAndCast) {
  const auto table = numbers(1000);
  std::vector<std::complex<double>> out(50000);
  LaunchBuilder builder({50, 1000});
  const int i = builder.index();
  const int offset =
      builder.ufunc(UfuncId::remainder, {i, builder.scalar(Scalar(std::int64_t{1000}))});
  const int value = builder.gather(DType::float32, table.data(), offset);
  const int positive = builder.ufunc(UfuncId::greater, {value, builder.scalar(Scalar(0.0f))});
  const int chosen = builder.select(positive, value, builder.scalar(Scalar(-1.0f)));
  builder.store(builder.cast(chosen, DType::complex128), out.data());
  run(builder);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const float expected = table[k % 1000] > 0 ? table[k % 1000] : -1.0f;
    ASSERT_EQ(out[k], std::complex<double>(expected, 0));
  }
}

TEST(Map, ScatterKeepsTheLastAndHonoursThePredicate) {
  std::vector<std::int64_t> offsets(9000);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int64_t>(i * 7 % 500);
  std::vector<std::int64_t> out(500, -1);
  LaunchBuilder builder({9000});
  const int offset = builder.load(DType::int64, offsets.data());
  const int i = builder.index();
  const int even = builder.ufunc(
      UfuncId::equal,
      {builder.ufunc(UfuncId::bitwise_and, {i, builder.scalar(Scalar(std::int64_t{1}))}),
       builder.scalar(Scalar(std::int64_t{0}))});
  builder.scatter(i, out.data(), offset, even);
  run(builder);
  std::vector<std::int64_t> expected(500, -1);
  for (std::size_t k = 0; k < offsets.size(); k += 2) {
    expected[static_cast<std::size_t>(offsets[k])] = static_cast<std::int64_t>(k);
  }
  EXPECT_EQ(out, expected);
}

TEST(Map, CombineAppliesEveryElement) {
  std::vector<std::int64_t> offsets(10000);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i % 3);
  std::vector<std::int64_t> out(3, 5);
  LaunchBuilder builder({10000});
  const int offset = builder.load(DType::int64, offsets.data());
  builder.combine_at(UfuncId::add, builder.index(), out.data(), offset);
  run(builder);
  std::vector<std::int64_t> expected(3, 5);
  for (std::size_t i = 0; i < offsets.size(); ++i) expected[i % 3] += static_cast<std::int64_t>(i);
  EXPECT_EQ(out, expected);
}

struct ReduceCase {
  std::int64_t kept, reduced;
  bool reduce_slow_axis;  // the reduced dimension has the large stride
};

class ReduceShapes : public ::testing::TestWithParam<ReduceCase> {
 protected:
  const std::int64_t kept = GetParam().kept;
  const std::int64_t reduced = GetParam().reduced;
  Dims strides() const { return GetParam().reduce_slow_axis ? Dims{1, kept} : Dims{reduced, 1}; }
  template <typename T>
  T at(const std::vector<T>& values, std::int64_t k, std::int64_t r) const {
    return values[static_cast<std::size_t>(k * strides()[0] + r * strides()[1])];
  }
  LaunchBuilder plan_of(const std::vector<float>& values, UfuncId combine, void* out,
                        DType accumulator, DType result, PlanKind kind = PlanKind::reduce) const {
    LaunchBuilder builder({kept, reduced});
    int value = builder.load(DType::float32, values.data(), strides());
    if (accumulator != DType::float32) value = builder.cast(value, accumulator);
    builder.store(value, out, kind == PlanKind::scan ? strides() : Dims{1, 0});
    builder.reduce(kind, combine, 1, result);
    return builder;
  }
};

TEST_P(ReduceShapes, SumIsAccurateAndCast) {
  const auto values = numbers(kept * reduced);
  std::vector<float> out(static_cast<std::size_t>(kept));
  std::vector<double> precise(out.size());
  run(plan_of(values, UfuncId::add, out.data(), DType::float32, DType::float32));
  run(plan_of(values, UfuncId::add, precise.data(), DType::float32, DType::float64));
  for (std::int64_t k = 0; k < kept; ++k) {
    double sum = 0;
    double magnitude = 0;
    for (std::int64_t r = 0; r < reduced; ++r) {
      sum += at(values, k, r);
      magnitude += std::abs(at(values, k, r));
    }
    const auto i = static_cast<std::size_t>(k);
    ASSERT_NEAR(out[i], sum, 2e-7 * 8 * magnitude) << k;
    ASSERT_EQ(precise[i], static_cast<double>(out[i]));
  }
}

// The same tree whatever the memory layout and the number of threads.
TEST_P(ReduceShapes, SumHasTheSameBitsInBothLayouts) {
  const auto values = numbers(kept * reduced);
  std::vector<float> transposed(values.size());
  const Dims there = GetParam().reduce_slow_axis ? Dims{reduced, 1} : Dims{1, kept};
  for (std::int64_t k = 0; k < kept; ++k) {
    for (std::int64_t r = 0; r < reduced; ++r) {
      transposed[static_cast<std::size_t>(k * there[0] + r * there[1])] = at(values, k, r);
    }
  }
  std::vector<float> out(static_cast<std::size_t>(kept));
  std::vector<float> other(out.size());
  run(plan_of(values, UfuncId::add, out.data(), DType::float32, DType::float32));
  LaunchBuilder builder({kept, reduced});
  builder.store(builder.load(DType::float32, transposed.data(), there), other.data(), {1, 0});
  builder.reduce(PlanKind::reduce, UfuncId::add, 1, DType::float32);
  run(builder);
  EXPECT_EQ(out, other);
}

TEST_P(ReduceShapes, MaximumPropagatesNaN) {
  auto values = numbers(kept * reduced);
  values.back() = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(static_cast<std::size_t>(kept));
  run(plan_of(values, UfuncId::maximum, out.data(), DType::float32, DType::float32));
  for (std::int64_t k = 0; k + 1 < kept; ++k) {
    float expected = at(values, k, 0);
    for (std::int64_t r = 1; r < reduced; ++r) expected = std::max(expected, at(values, k, r));
    ASSERT_EQ(out[static_cast<std::size_t>(k)], expected);
  }
  EXPECT_TRUE(std::isnan(out.back()));
}

TEST_P(ReduceShapes, SubtractIsInOrder) {
  const auto values = numbers(kept * reduced);
  std::vector<float> out(static_cast<std::size_t>(kept));
  run(plan_of(values, UfuncId::subtract, out.data(), DType::float32, DType::float32));
  for (std::int64_t k = 0; k < kept; ++k) {
    float expected = at(values, k, 0);
    for (std::int64_t r = 1; r < reduced; ++r) expected -= at(values, k, r);
    ASSERT_EQ(out[static_cast<std::size_t>(k)], expected);
  }
}

TEST_P(ReduceShapes, ArgmaxFindsTheFirst) {
  auto values = numbers(kept * reduced);
  for (float& value : values) value = std::round(value);
  if (reduced > 2) values[values.size() / 2] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::int64_t> out(static_cast<std::size_t>(kept));
  run(plan_of(values, UfuncId::maximum, out.data(), DType::float32, DType::int64,
              PlanKind::arg_reduce));
  for (std::int64_t k = 0; k < kept; ++k) {
    std::int64_t best = 0;
    for (std::int64_t r = 1; r < reduced; ++r) {
      const float value = at(values, k, r);
      const float kept_value = at(values, k, best);
      if (!std::isnan(kept_value) && (std::isnan(value) || value > kept_value)) best = r;
    }
    ASSERT_EQ(out[static_cast<std::size_t>(k)], best) << k;
  }
}

TEST_P(ReduceShapes, ScanKeepsEveryPrefix) {
  const auto values = numbers(kept * reduced);
  std::vector<double> out(values.size());
  run(plan_of(values, UfuncId::add, out.data(), DType::float32, DType::float64, PlanKind::scan));
  for (std::int64_t k = 0; k < kept; ++k) {
    float sum = 0;
    for (std::int64_t r = 0; r < reduced; ++r) {
      sum = r == 0 ? at(values, k, r) : sum + at(values, k, r);
      ASSERT_EQ(at(out, k, r), static_cast<double>(sum));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReduceShapes,
                         ::testing::Values(ReduceCase{1, 1, false}, ReduceCase{1, 63, false},
                                           ReduceCase{3, 64, false}, ReduceCase{5, 1000, false},
                                           ReduceCase{2, 5000, false}, ReduceCase{1, 300001, false},
                                           ReduceCase{3, 200000, false}, ReduceCase{5000, 3, false},
                                           ReduceCase{300, 30, true}, ReduceCase{17, 5000, true},
                                           ReduceCase{1000, 64, true}, ReduceCase{3000, 100, true},
                                           ReduceCase{300, 1100, true}, ReduceCase{40, 70000, true},
                                           ReduceCase{3, 10000, true}));

TEST(Reduce, FusedExpressionOverSeveralDimensions) {
  // sum over the last two dimensions of (a - b)^2, b broadcast along the first.
  const Dims shape{6, 50, 70};
  const auto a = numbers(6 * 50 * 70, 1);
  const auto b = numbers(50 * 70, 2);
  std::vector<float> out(6);
  LaunchBuilder builder(shape);
  const int x = builder.load(DType::float32, a.data());
  const int y = builder.load(DType::float32, b.data(), {0, 70, 1});
  const int d = builder.ufunc(UfuncId::subtract, {x, y});
  builder.store(builder.ufunc(UfuncId::square, {d}), out.data(), {1, 0, 0});
  builder.reduce(PlanKind::reduce, UfuncId::add, 2, DType::float32);
  run(builder);
  for (std::size_t k = 0; k < 6; ++k) {
    double expected = 0;
    for (std::size_t i = 0; i < 3500; ++i) {
      const double difference = a[k * 3500 + i] - b[i];
      expected += difference * difference;
    }
    EXPECT_NEAR(out[k], expected, 1e-5 * expected);
  }
}

TEST(Reduce, NothingGivesTheIdentity) {
  std::vector<double> out(4, -1);
  for (const UfuncId id : {UfuncId::add, UfuncId::multiply}) {
    LaunchBuilder builder({4, 0});
    builder.store(builder.load(DType::float64, nullptr), out.data(), {1, 0});
    builder.reduce(PlanKind::reduce, id, 1, DType::float64);
    run(builder);
    EXPECT_EQ(out, std::vector<double>(4, id == UfuncId::add ? 0.0 : 1.0));
  }
}

// As accurate as a tree that joins pairs: the error grows with log n, not with n.
TEST(Reduce, LongSumsAreAccurate) {
  const std::int64_t n = 10'000'000;
  const std::vector<float> values(static_cast<std::size_t>(n), 0.1f);
  float out = 0;
  LaunchBuilder builder({n});
  builder.store(builder.load(DType::float32, values.data()), &out, {0});
  builder.reduce(PlanKind::reduce, UfuncId::add, 1, DType::float32);
  run(builder);
  EXPECT_NEAR(out, static_cast<double>(n) * static_cast<double>(0.1f), 1e6 * 1e-6);
}

TEST(SegmentReduce, EverySegmentByItself) {
  const std::int64_t rows = 3;
  const std::int64_t n = 5000;
  const auto values = numbers(rows * n);
  const std::vector<std::int64_t> first{0, 10, 4000, 7, 100};
  const std::vector<std::int64_t> last{10, 4000, 5000, 8, 100};
  for (const UfuncId id : {UfuncId::maximum, UfuncId::subtract, UfuncId::add}) {
    std::vector<float> out(15, -1);
    LaunchBuilder builder({rows, 5});
    builder.store(builder.load(DType::float32, values.data(), {n, 1}), out.data(), {5, 1});
    builder.indexed(DType::int64, first.data());
    builder.indexed(DType::int64, last.data());
    builder.reduce(PlanKind::segment_reduce, id, 1, DType::float32);
    run(builder);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const float* row = values.data() + static_cast<std::int64_t>(i / 5) * n;
      if (first[i % 5] == last[i % 5]) {
        EXPECT_EQ(out[i], 0);
        continue;
      }
      double expected = row[first[i % 5]];
      for (std::int64_t r = first[i % 5] + 1; r < last[i % 5]; ++r) {
        if (id == UfuncId::maximum) expected = std::max(expected, static_cast<double>(row[r]));
        if (id == UfuncId::subtract) expected -= row[r];
        if (id == UfuncId::add) expected += row[r];
      }
      ASSERT_NEAR(out[i], expected, 1e-2) << i;
    }
  }
}

TEST(Arguments, MustFitThePlan) {
  std::vector<float> a(4);
  LaunchBuilder builder({4});
  builder.store(builder.load(DType::float32, a.data()), a.data());
  const TileProgram program(builder.plan);
  LaunchArguments arguments = builder.arguments;
  arguments.extents = {2, 2};
  EXPECT_THROW(check_arguments(program, arguments), LaunchError);
  arguments = builder.arguments;
  arguments.inputs.clear();
  EXPECT_THROW(check_arguments(program, arguments), LaunchError);
}

double cost_of(UfuncId ufunc, DType dtype, bool by_scalar = false) {
  LaunchBuilder builder({1});
  alignas(16) unsigned char memory[16] = {};
  const int a = builder.load(dtype, memory);
  if (ufunc_info(ufunc).input_count == 1) {
    builder.store(builder.ufunc(ufunc, {a}), memory);
  } else {
    const int b = by_scalar ? builder.scalar(Scalar(std::int64_t{3})) : builder.load(dtype, memory);
    builder.store(builder.ufunc(ufunc, {a, b}), memory);
  }
  return TileProgram(builder.plan).cost;
}

TEST(Program, CostsAreThoseOfTheLoops) {
  EXPECT_EQ(cost_of(UfuncId::floor, DType::float64), cost_of(UfuncId::negative, DType::float64));
  EXPECT_LT(cost_of(UfuncId::square, DType::int8), cost_of(UfuncId::square, DType::int64));
  EXPECT_LT(cost_of(UfuncId::floor_divide, DType::int64, true),
            cost_of(UfuncId::floor_divide, DType::int64));
  EXPECT_LT(4 * cost_of(UfuncId::negative, DType::float64), cost_of(UfuncId::exp, DType::float64));
  EXPECT_LT(4 * cost_of(UfuncId::exp, DType::float64), cost_of(UfuncId::exp, DType::complex128));
  EXPECT_LT(4 * cost_of(UfuncId::exp, DType::float64), cost_of(UfuncId::fmod, DType::float64));
}

TEST(Program, RefusesTypesWithoutALoop) {
  LaunchBuilder builder({4});
  const int x = builder.load(DType::float32, nullptr);
  Step step{StepKind::ufunc, DType::float32, UfuncId::bitwise_and};
  step.args = {static_cast<std::int16_t>(x), static_cast<std::int16_t>(x), -1};
  builder.plan.steps.push_back(step);
  EXPECT_THROW(TileProgram{builder.plan}, CompileError);
}

}  // namespace
}  // namespace cupola::cpu
