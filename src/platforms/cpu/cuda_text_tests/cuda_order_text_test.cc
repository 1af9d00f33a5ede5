// Rows in another order: generated CUDA text, compiled for the host, and the tile runner against
// the standard library.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_text_plans.h"
#include "cupola/error.h"
#include "driver/testing/sample_launch.h"
#include "platforms/cpu/cuda_text_tests/cuda_text_test_support.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

class CudaOrderText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
  }
};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> values_of(std::int64_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  const std::vector<float> special{0.0F, -0.0F, kNan, -kNan, kInf, -kInf, 1.0F, -1.0F};
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    value = random() % 4 == 0 ? special[random() % special.size()]
                              : std::normal_distribution<float>(0, 100)(random);
  }
  return values;
}

// NaN last, in order.
bool is_before(float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

std::uint8_t digit_of(float value, int number) {
  auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0F : value);
  bits = std::isnan(value) ? ~0u : bits >> 31 != 0 ? ~bits : bits | 1u << 31;
  return static_cast<std::uint8_t>(bits >> 8 * number);
}

struct Ordered {
  std::vector<float> values;
  std::vector<std::int64_t> numbers;  // of elements in the whole space
};

template <typename Before>
Ordered ordered(const std::vector<float>& values, std::int64_t length, const Before& before) {
  Ordered result;
  result.numbers.resize(values.size());
  std::iota(result.numbers.begin(), result.numbers.end(), 0);
  for (auto row = result.numbers.begin(); row != result.numbers.end(); row += length) {
    std::stable_sort(row, row + length, [&](std::int64_t a, std::int64_t b) {
      return before(values[static_cast<std::size_t>(a)], values[static_cast<std::size_t>(b)]);
    });
  }
  for (const std::int64_t i : result.numbers) {
    result.values.push_back(values[static_cast<std::size_t>(i)]);
  }
  return result;
}

template <typename Number>
void expect_order(const std::vector<float>& found, const std::vector<Number>& numbers,
                  const Ordered& expected, const std::string& what) {
  ASSERT_TRUE(std::equal(numbers.begin(), numbers.end(), expected.numbers.begin())) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(found[i]),
              std::bit_cast<std::uint32_t>(expected.values[i]))
        << what << " element " << i;
  }
}

// With the strides of a row-major space.
LaunchArguments arguments_of(const Dims& extents, std::vector<float>& values) {
  Dims strides(extents.size(), 1);
  if (extents.size() > 1) strides[0] = extents[1];
  return {.extents = extents, .inputs = {{values.data(), strides}}};
}

TEST_F(CudaOrderText, IsThatOfTheDigitAndStable) {
  const KernelPlan plan = plans::parted(DType::float32, plans::kContiguous, 2, true);
  const HostText text(plan);
  const TileProgram program(plan);
  for (const Dims& extents : std::vector<Dims>{{1, 1}, {3, 5}, {2, 4096}, {1, 4097}, {2, 9000}}) {
    std::vector<float> values = values_of(element_count(extents));
    for (const int number : {0, 3}) {
      const Ordered expected = ordered(values, extents[1], [&](float a, float b) {
        return digit_of(a, number) < digit_of(b, number);
      });
      for (const bool on_cuda : {false, true}) {
        std::vector<float> found(values.size());
        std::vector<std::int32_t> numbers(values.size());
        LaunchArguments arguments = arguments_of(extents, values);
        arguments.outputs = {{found.data(), {}}, {numbers.data(), {}}};
        arguments.scalars = {Scalar(std::int64_t{number}).cast(DType::uint8)};
        on_cuda ? text.run(arguments) : run_plan(program, arguments);
        expect_order(found, numbers, expected, to_string(extents) + (on_cuda ? " CUDA" : " CPU"));
      }
    }
  }
}

// Blocks may have many tiles, and threads may sum many chunks.
TEST_F(CudaOrderText, DoesNotDependOnTheChunks) {
  const KernelPlan plan = plans::parted(DType::float32, plans::kContiguous, 1, false);
  const HostText text(plan);
  std::vector<float> values = values_of(70'001);
  LaunchArguments arguments = arguments_of({std::ssize(values)}, values);
  arguments.scalars = {Scalar(std::int64_t{3}).cast(DType::uint8)};
  const Ordered expected = ordered(values, std::ssize(values), [&](float a, float b) {
    return digit_of(a, 3) < digit_of(b, 3);
  });
  for (const unsigned int tiles : {1U, 2U, 5U}) {
    for (const unsigned int lanes : {1U, 2U, 32U, 512U}) {
      std::vector<float> found(values.size());
      arguments.outputs = {{found.data(), {}}};
      CudaLaunch launch = text.launch_of(arguments);
      const unsigned int chunks = (9 + tiles - 1) / tiles;
      launch.header.tile = 8192 * tiles;
      launch.header.tiles = launch.stages[0].grid_x = launch.stages[2].grid_x = chunks;
      launch.header.lanes = lanes;
      launch.stages[1].grid_x = (256 * lanes + 511) / 512;
      text.run(arguments, launch);
      expect_order(found, expected.numbers, expected, "chunks of tiles");
    }
  }
}

// Sums that carry from the lower to the upper half of their words, too.
TEST_F(CudaOrderText, TalliesHaveTheBitsOfTheCpu) {
  for (const char* name : {"tally_int64", "tally_values_int64", "tally_values_uint32"}) {
    const KernelPlan plan = plan_of(name);
    const HostText text(plan);
    for (const std::int64_t count : {1, 300, 4096, 4097, 30000}) {
      testing::SampleLaunch launch(plan, {count}, static_cast<unsigned>(count), run_on_host);
      if (!launch.arguments.scalars.empty()) {
        launch.arguments.scalars[0] = Scalar(std::int64_t{0x7FFF'FFFF'FFFF});
      }
      const auto before = launch.outputs();
      run_on_host(plan, launch.arguments);
      const auto expected = launch.outputs();
      EXPECT_TRUE(expected != before);
      launch.reset_outputs(before);
      text.run(launch.arguments);
      EXPECT_TRUE(launch.outputs() == expected) << name << " " << count;
    }
  }
}

TEST_F(CudaOrderText, HasChunksByTheExtentsAlone) {
  const HostText text(plans::parted(DType::float32, plans::kContiguous, 2, false));
  const auto launch_of = [&](const Dims& extents) {
    std::vector<float> none;
    LaunchArguments arguments = arguments_of(extents, none);
    arguments.outputs = {{nullptr, {}}};
    return text.launch_of(arguments);
  };
  const CudaLaunch large = launch_of({1, 1 << 26});
  EXPECT_EQ(large.header.tile, 8192u);
  EXPECT_EQ(large.stages[0].grid_x, 8192u);
  EXPECT_EQ(large.stages[1].grid_x, 256u);
  EXPECT_EQ(launch_of({1, 1 << 20}).stages[0].grid_x, 128u);
  EXPECT_EQ(launch_of({1, 1 << 30}).stages[0].grid_x, 32768u);
  const CudaLaunch many = launch_of({5000, 9000});
  EXPECT_EQ(many.stages[0].grid_x, 10000u);
  // Of each row: for 256 bins two counts and their sum.
  EXPECT_EQ(many.scratch_bytes, std::size_t{5000} * 256 * (2 + 1) * 4);
  EXPECT_TRUE(stages_of(large).divides[0]);
  EXPECT_TRUE(stages_of(large).divides[1]);
  EXPECT_TRUE(stages_of(large).divides[2]);
  EXPECT_EQ(stages_of(large).apart, 1 << 26);
  EXPECT_EQ(stages_of(launch_of({5000, 9000})).apart, 0);  // blocks sum the bins of two rows
}

TEST_F(CudaOrderText, IsThatOfTheKeysAndStable) {
  const KernelPlan plan = plans::sorted(DType::float32, plans::kContiguous, 2, true);
  const HostText text(plan);
  const TileProgram program(plan);
  for (const Dims& extents : std::vector<Dims>{{1, 1},
                                               {300, 5},
                                               {9, 32},
                                               {9, 33},
                                               {9, 128},
                                               {9, 129},
                                               {9, 256},
                                               {7, 257},
                                               {3, 1024},
                                               {3, 1025},
                                               {2, 4096}}) {
    std::vector<float> values = values_of(element_count(extents));
    const Ordered expected = ordered(values, extents[1], is_before);
    for (const bool on_cuda : {false, true}) {
      std::vector<float> found(values.size());
      std::vector<std::int64_t> numbers(values.size());
      LaunchArguments arguments = arguments_of(extents, values);
      arguments.outputs = {{found.data(), {}}, {numbers.data(), {}}};
      on_cuda ? text.run(arguments) : run_plan(program, arguments);
      expect_order(found, numbers, expected, to_string(extents) + (on_cuda ? " CUDA" : " CPU"));
    }
  }
  std::vector<float> values(4097);
  EXPECT_THROW(text.launch_of(arguments_of({1, 4097}, values)), LaunchError);
}

// Keys of every width, and of two parts: as the tile runner orders them.
TEST_F(CudaOrderText, IsTheSameOnBothPlatforms) {
  const auto on_host = [](const KernelPlan& plan, const LaunchArguments& arguments) {
    run_on_host(plan, arguments);
  };
  for (const char* name :
       {"sorted_int8", "sorted_float16", "sorted_uint64", "sorted_complex64", "sorted_complex128",
        "parted_bool", "parted_complex64", "parted_in_two", "parted_in_two_complex128"}) {
    const KernelPlan plan = plan_of(name);
    const HostText text(plan);
    for (const Dims& extents : std::vector<Dims>{{9, 7}, {5, 100}, {2, 1000}, {2, 2048}}) {
      testing::SampleLaunch launch(plan, extents, 11, on_host);
      const auto before = launch.outputs();
      on_host(plan, launch.arguments);
      const auto expected = launch.outputs();
      EXPECT_TRUE(expected != before);
      launch.reset_outputs(before);
      text.run(launch.arguments);
      EXPECT_TRUE(launch.outputs() == expected) << name << " " << to_string(extents);
    }
  }
}

}  // namespace
}  // namespace cupola::cpu
