// P2.5: operations work where their operands are, whatever device is current.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "cupola/cupola.h"

namespace cupola {
namespace {

// Read when the first driver is made. What the environment says already stays.
const bool kHasTwoDevices = setenv("CUPOLA_CPU_DEVICES", "2", 0) == 0;

class AnyScope : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) < 2) GTEST_SKIP() << "there is one device only";
    before_ = current_device();
    set_current_device(Device(GetParam(), 0));
  }
  void TearDown() override { set_current_device(before_); }

  // Where the result of `operation` is, or why there is none.
  template <typename Operation>
  static std::string place_of(const Operation& operation) {
    try {
      const Array result = operation();
      item(sum(result));
      return result.device().to_string();
    } catch (const Error& error) {
      return error.what();
    }
  }

  Device before_{PlatformKind::cpu, 0};
  const Device elsewhere_{GetParam(), 1};
};

TEST_P(AnyScope, ResultsLieWhereTheOperandsLie) {
  const std::string place = elsewhere_.to_string();
  const Array a = full({100, 100}, Scalar(2.0F), DType::float32, elsewhere_);
  EXPECT_EQ(place_of([&] { return a + a; }), place);
  EXPECT_EQ(place_of([&] { return a * 2.0F; }), place);
  EXPECT_EQ(place_of([&] { return exp(a); }), place);
  EXPECT_EQ(place_of([&] { return sum(a); }), place);
  EXPECT_EQ(place_of([&] { return matmul(a, a); }), place);
  EXPECT_EQ(place_of([&] { return sort(a); }), place);
  EXPECT_EQ(item(sum(a)).get<float>(), 20000.0F);
  EXPECT_EQ(current_device(), Device(GetParam(), 0));
}

INSTANTIATE_TEST_SUITE_P(Platforms, AnyScope,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
