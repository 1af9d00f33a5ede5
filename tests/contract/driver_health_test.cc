// What every Driver says about its devices without work, and after work that failed.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;

class DiscoveryContract : public DriverContract {};

TEST_P(DiscoveryContract, AnswersAboutItsDevices) {
  const auto attributes = driver().attributes(device());
  const auto warp = std::find_if(attributes.begin(), attributes.end(),
                                 [](const auto& pair) { return pair.first == "WarpSize"; });
  ASSERT_NE(warp, attributes.end());
  EXPECT_EQ(warp->second, 32);
  EXPECT_EQ(driver().can_access_peer(device(), device()), is_set());  // of a set, all members
  EXPECT_TRUE(driver().is_initialized());                             // the fixture made a stream
  EXPECT_TRUE(driver().has_context(device()));
  EXPECT_EQ(driver().driver_version() > 0, !is_cpu());
  for (const int unknown : unknown_devices()) {
    EXPECT_THROW(driver().attributes(unknown), DeviceError);
    EXPECT_THROW(driver().can_access_peer(device(), unknown), DeviceError);
    EXPECT_THROW(driver().has_context(unknown), DeviceError);
    EXPECT_THROW(driver().fault(unknown), DeviceError);
  }
  EXPECT_THROW(driver().can_access_peer(device(), -1), DeviceError);
}

class FaultContract : public DriverContract {
 protected:
  void SetUp() override {
    DriverContract::SetUp();
    if (IsSkipped()) return;
    if (!is_cpu()) {
      GTEST_SKIP() << "a failed GPU stays so until the process ends; tests/python has it";
    }
    if (driver().device_count() < 5) GTEST_SKIP() << "needs five devices";
  }
  // Has nothing in common with the one under test.
  static int other_device() { return is_set() ? Device::parse("cpu:3-4").index() : 1; }
  void fail_device() {
    driver().run_on_host([] { throw std::runtime_error("from the work"); }, stream());
    while (!driver().is_idle(stream())) std::this_thread::yield();
  }
};

TEST_P(FaultContract, TheErrorIsThrownOnceAndThenRepeated) {
  EXPECT_EQ(driver().fault(device()), nullptr);
  fail_device();
  EXPECT_NE(driver().fault(device()), nullptr);
  try {
    driver().synchronize(stream());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const FaultError&) {
    ADD_FAILURE() << "the first report is no repetition";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "from the work");
  }
  char byte = 0;
  StreamHandle other = driver().create_stream(device());
  EXPECT_THROW(driver().synchronize(stream()), FaultError);
  EXPECT_THROW(driver().run_on_host([] {}, stream()), FaultError);
  EXPECT_THROW(driver().fill_bytes(&byte, 1, 1, other), FaultError);
  EXPECT_THROW(driver().synchronize(other), FaultError);
  driver().destroy_stream(other);
  driver().clear_fault(device());
  EXPECT_EQ(driver().fault(device()), nullptr);
  EXPECT_NO_THROW(driver().synchronize(stream()));
}

TEST_P(FaultContract, OtherDevicesGoOn) {
  fail_device();
  char byte = 0;
  StreamHandle other = driver().create_stream(other_device());
  driver().fill_bytes(&byte, 1, 1, other);
  driver().synchronize(other);
  EXPECT_EQ(byte, 1);
  EXPECT_EQ(driver().fault(other_device()), nullptr);
  driver().destroy_stream(other);
  driver().clear_fault(device());
}

INSTANTIATE_TEST_SUITE_P(Platforms, DiscoveryContract,
                         ::testing::ValuesIn(contract::kDevicesAndSets), contract::kName);
INSTANTIATE_TEST_SUITE_P(Platforms, FaultContract, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
