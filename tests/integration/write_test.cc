// Writes whose values read the memory that they change.

#include <gtest/gtest.h>

#include "cupola/cupola.h"
#include "exec/evaluation/evaluator.h"

namespace cupola {
namespace {

class Writes : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
  }
  Array numbers(std::int64_t count) const {
    return arange(Scalar::weak(std::int64_t{0}), Scalar::weak(count), Scalar::weak(std::int64_t{1}),
                  DType::int64, device_);
  }
  Device device_{GetParam(), 0};
};

std::vector<std::int64_t> values(const Array& a) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(a.size()));
  to_host(a, result.data(), Dims{8});
  return result;
}

TEST_P(Writes, AGatherFromTheTargetReadsItsOldElements) {
  const Array a = numbers(1000);
  write(make_gather(a, evaluate(999 - numbers(1000))), a);
  const std::vector<std::int64_t> result = values(a);
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], 999 - i);
}

TEST_P(Writes, AGatherMayHaveFewerDimensionsThanItsSource) {
  const Array a = reshape(numbers(24), {2, 3, 4});
  EXPECT_EQ(values(evaluate(make_gather(a, numbers(5)))),
            (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST_P(Writes, OverlappingViewsAreReadBeforeTheyAreWritten) {
  const Array a = numbers(100);
  assign(get_index(a, {Slice{1, {}, {}}}), Operand(get_index(a, {Slice{{}, 99, {}}})));
  const std::vector<std::int64_t> result = values(a);
  for (std::int64_t i = 1; i < 100; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], i - 1);
}

INSTANTIATE_TEST_SUITE_P(Platforms, Writes,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
