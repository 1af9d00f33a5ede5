// Matrix products of sets have the bits of one device.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/testing/environment_variables.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"

namespace cupola {
namespace {

// A product of dense matrices; a and b may be stored by columns.
struct Case {
  std::int64_t m, n, k;
  bool a_by_columns = false;
  bool b_by_columns = false;
  std::int64_t stack = 1;
  bool has_one_b = false;
};

using Values = std::vector<float>;

Values values_of(std::int64_t count, std::uint32_t seed) {
  Values values(static_cast<std::size_t>(count));
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
  }
  return values;
}

// Of c, in double precision.
double last_element(const Case& c) {
  const Values a = values_of(c.stack * c.m * c.k, 1);
  const Values b = values_of((c.has_one_b ? 1 : c.stack) * c.k * c.n, 2);
  double sum = 0;
  for (std::int64_t l = 1; l <= c.k; ++l) {  // from the end of both
    const std::int64_t from_a = c.a_by_columns ? (l - 1) * c.m + 1 : l;
    const std::int64_t from_b = c.b_by_columns ? l : (l - 1) * c.n + 1;
    sum += static_cast<double>(*(a.end() - from_a)) * static_cast<double>(*(b.end() - from_b));
  }
  return sum;
}

class SetMatmulTest : public ::testing::Test {
 protected:
  SetMatmulTest()
      : platform_(create_cpu_driver()), sets_(std::make_unique<SetDriver>(*platform_)) {}

  MatmulProblem problem_of(const Case& c) {
    MatmulProblem problem{DType::float32,
                          c.m,
                          c.n,
                          c.k,
                          nullptr,
                          nullptr,
                          nullptr,
                          c.k,
                          1,
                          c.n,
                          1,
                          c.n,
                          {},
                          {},
                          {},
                          {}};
    if (c.a_by_columns) std::tie(problem.a_row, problem.a_column) = std::pair(1, c.m);
    if (c.b_by_columns) std::tie(problem.b_row, problem.b_column) = std::pair(1, c.k);
    if (c.stack > 1) {
      problem.batch = {c.stack};
      problem.a_batch = {c.m * c.k};
      problem.b_batch = {c.has_one_b ? 0 : c.k * c.n};
      problem.c_batch = {c.m * c.n};
    }
    return problem;
  }

  // On a device or a set of the first `members`; its operands are spread by `rule`.
  Values product(const Case& c, const std::string& device, const PlacementRule& rule = {}) {
    const int set = Device::parse(device).index();
    const bool is_set = set >= Device::kFirstSet;
    Driver& driver = is_set ? static_cast<Driver&>(*sets_) : *platform_;
    const StreamHandle stream = driver.create_stream(set);
    std::vector<std::pair<void*, std::size_t>> blocks;
    const auto allocate = [&](const Values& values) {
      const std::size_t bytes = values.size() * sizeof(float);
      void* const data = is_set ? sets_->allocate_placed(set, bytes, rule)
                                : driver.allocate(set, bytes, MemoryKind::device);
      driver.copy_from_host(data, values.data(), bytes, stream);
      blocks.emplace_back(data, bytes);
      return data;
    };
    Values result(static_cast<std::size_t>(c.stack * c.m * c.n), -1);
    MatmulProblem problem = problem_of(c);
    problem.a = allocate(values_of(c.stack * c.m * c.k, 1));
    problem.b = allocate(values_of((c.has_one_b ? 1 : c.stack) * c.k * c.n, 2));
    problem.c = allocate(result);
    driver.matmul(problem, stream);
    driver.copy_to_host(result.data(), problem.c, blocks.back().second, stream);
    driver.synchronize(stream);
    driver.destroy_stream(stream);
    for (const auto& [data, bytes] : blocks) {
      driver.deallocate(set, data, bytes, MemoryKind::device);
    }
    for (int each = 0; each < 4; ++each) {
      const MemoryInfo memory = platform_->memory_info(each);
      EXPECT_EQ(memory.free, memory.total) << each;
    }
    return result;
  }

  testing::EnvironmentVariables variables_{{"CUPOLA_CPU_DEVICES", "4"},
                                           {"CUPOLA_CPU_DEVICE_MEMORY", "8M,9M,12M,64M"},
                                           {"CUPOLA_CPU_STRIPE_BYTES", "64"},
                                           {"CUPOLA_STRIPE_THRESHOLD", "128"},
                                           {"CUPOLA_MATMUL_BLOCK_ROWS", "8"}};
  std::unique_ptr<Driver> platform_;
  std::unique_ptr<SetDriver> sets_;
};

std::uint64_t divided() { return value_of(Counter::divided_launches); }
std::uint64_t gathered() { return value_of(Counter::gathered_launches); }

TEST_F(SetMatmulTest, TheBitsOfOneDeviceForAnyNumberOfMembers) {
  const Case cases[] = {{100, 37, 51},
                        {64, 128, 300, true, false},
                        {70, 33, 90, false, true},
                        {61, 40, 40, true, true},
                        {200, 1, 60},
                        {16, 30, 50, false, false, 9},
                        {5, 30, 50, true, false, 12},
                        {24, 30, 50, false, true, 6, true}};
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.m << " x " << c.n << " x " << c.k << ", " << c.stack);
    const Values one = product(c, "cpu:1");
    EXPECT_NEAR(static_cast<double>(one.back()), last_element(c), 1e-4);
    for (const char* device : {"cpu:0-1", "cpu:2,0,1", "cpu:0-3"}) {
      const std::uint64_t before = divided();
      const std::uint64_t gathered_before = gathered();
      EXPECT_EQ(product(c, device), one) << device;
      EXPECT_EQ(product(c, device, {PlacementRule::Kind::even, {}, {}, 0}), one) << device;
      EXPECT_EQ(divided() - before, 2u);
      EXPECT_EQ(gathered(), gathered_before);
    }
  }
}

// One block, and memory of the first member.
TEST_F(SetMatmulTest, WhatIsNotDividedRunsOnOne) {
  const Case one_block{15, 40, 50};
  std::uint64_t before = divided();
  std::uint64_t gathered_before = gathered();
  EXPECT_EQ(product(one_block, "cpu:0-2"), product(one_block, "cpu:3"));
  EXPECT_EQ(divided(), before);
  EXPECT_EQ(gathered() - gathered_before, 1u);
  const Case small{100, 2, 40};
  PlacementRule on_first;
  on_first.threshold = std::size_t{1} << 30;
  gathered_before = gathered();
  EXPECT_EQ(product(small, "cpu:0-2", on_first), product(small, "cpu:3"));
  EXPECT_EQ(divided(), before);
  EXPECT_EQ(gathered(), gathered_before);
}

// There is no room for copies of b: it is read where it is.
TEST_F(SetMatmulTest, NoRoomForCopies) {
  const Case c{16, 1 << 16, 90};
  EXPECT_EQ(product(c, "cpu:0-2"), product(c, "cpu:3"));
}

}  // namespace
}  // namespace cupola
