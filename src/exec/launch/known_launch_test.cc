#include "exec/launch/known_launch.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/cupola.h"

namespace cupola {
namespace {

class KnownLaunchTest : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
  }
  Device device() const { return {GetParam(), 0}; }
};

// The same plan serves all sizes; alignment and dtypes have plans of their own.
TEST_P(KnownLaunchTest, WholeReductionsAreExactForEverySizeAndPlace) {
  std::vector<std::int64_t> values(70000);
  std::iota(values.begin(), values.end(), std::int64_t{1});
  const Array all = from_vector(values, device());
  for (const std::int64_t size : {2, 3, 31, 256, 1000, 4097, 69990, 5, 256}) {
    for (const std::int64_t first : {0, 1, 2, 9}) {
      const Array part = get_index(all, {Slice{first, first + size, std::nullopt}});
      const std::int64_t expected = (first + 1 + first + size) * size / 2;
      ASSERT_EQ(item(sum(part)).get<std::int64_t>(), expected) << size << " from " << first;
      ASSERT_EQ(item(max(part)).get<std::int64_t>(), first + size);
      const Array halves = astype(part, DType::float64) / 2.0;
      ASSERT_EQ(item(sum(halves)).get<double>(), static_cast<double>(expected) / 2);
    }
  }
}

TEST_P(KnownLaunchTest, OtherReductionsAreNotTakenForThem) {
  const Array grid =
      reshape(arange(Scalar(0), Scalar(600), Scalar(1), DType::int64, device()), {20, 30});
  EXPECT_EQ(item(sum(grid)).get<std::int64_t>(), 600 * 599 / 2);
  EXPECT_EQ(item(sum(transpose(grid))).get<std::int64_t>(), 600 * 599 / 2);
  const Array every_other = get_index(grid, {Slice{std::nullopt, std::nullopt, 2}});
  EXPECT_EQ(item(sum(every_other)).get<std::int64_t>(), 85350);
  EXPECT_EQ(item(sum(get_index(grid, {std::int64_t{0}}))).get<std::int64_t>(), 435);
}

INSTANTIATE_TEST_SUITE_P(Platforms, KnownLaunchTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
