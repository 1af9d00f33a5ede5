// Expressions over whole rows, against loops written out here.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/cupola.h"

namespace cupola {
namespace {

class RowKernels : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
  }
  Device device_{GetParam(), 0};
};

TEST_P(RowKernels, EachRowHasItsOwnMaximumAndSum) {
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{1, 7}, {50, 3}, {33, 100}, {333, 100}, {5, 5000}}) {
    std::vector<double> input(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < input.size(); ++i) {
      input[i] = static_cast<double>(i * 37 % 101) / 10 - static_cast<double>(i) / 1000;
    }
    const Array a =
        from_host(input.data(), DType::float64, {rows, columns}, Dims{columns * 8, 8}, device_);
    ReduceOptions by_row;
    by_row.axes = Dims{1};
    by_row.keepdims = true;
    const Array powers = exp(a - max(a, by_row));
    const std::vector<double> found = (powers / sum(powers, by_row)).to_vector<double>();
    for (std::int64_t r = 0; r < rows; ++r) {
      const double* const row = input.data() + r * columns;
      const double largest = *std::max_element(row, row + columns);
      double total = 0;
      for (std::int64_t c = 0; c < columns; ++c) total += std::exp(row[c] - largest);
      for (std::int64_t c = 0; c < columns; ++c) {
        const double expected = std::exp(row[c] - largest) / total;
        ASSERT_NEAR(found[static_cast<std::size_t>(r * columns + c)], expected, 1e-12 * expected)
            << r << " " << c;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, RowKernels,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
