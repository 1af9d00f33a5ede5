// What every platform's Driver says about its devices without work, and after work that failed.

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;

[[maybe_unused]] const int kTwoDevices = setenv("CUPOLA_CPU_DEVICES", "2", 0);

class DiscoveryContract : public DriverContract {};

TEST_P(DiscoveryContract, AnswersAboutItsDevices) {
  const auto attributes = driver().attributes(0);
  const auto warp = std::find_if(attributes.begin(), attributes.end(),
                                 [](const auto& pair) { return pair.first == "WarpSize"; });
  ASSERT_NE(warp, attributes.end());
  EXPECT_EQ(warp->second, GetParam() == PlatformKind::cuda ? 32 : 1);
  EXPECT_FALSE(driver().can_access_peer(0, 0));
  EXPECT_TRUE(driver().is_initialized());  // the fixture made a stream
  EXPECT_TRUE(driver().has_context(0));
  EXPECT_EQ(driver().driver_version() > 0, GetParam() == PlatformKind::cuda);
  for (const int device : {-1, driver().device_count()}) {
    EXPECT_THROW(driver().attributes(device), DeviceError);
    EXPECT_THROW(driver().can_access_peer(0, device), DeviceError);
    EXPECT_THROW(driver().has_context(device), DeviceError);
    EXPECT_THROW(driver().fault(device), DeviceError);
  }
}

class FaultContract : public DriverContract {
 protected:
  void SetUp() override {
    DriverContract::SetUp();
    if (IsSkipped()) return;
    if (GetParam() == PlatformKind::cuda) {
      GTEST_SKIP() << "a failed GPU stays so until the process ends; tests/python has it";
    }
    if (driver().device_count() < 2) GTEST_SKIP() << "needs two devices";
  }
  void fail_device() {
    driver().run_on_host([] { throw std::runtime_error("from the work"); }, stream());
    while (!driver().is_idle(stream())) std::this_thread::yield();
  }
};

TEST_P(FaultContract, TheErrorIsThrownOnceAndThenRepeated) {
  EXPECT_EQ(driver().fault(0), nullptr);
  fail_device();
  EXPECT_NE(driver().fault(0), nullptr);
  try {
    driver().synchronize(stream());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const FaultError&) {
    ADD_FAILURE() << "the first report is no repetition";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "from the work");
  }
  char byte = 0;
  StreamHandle other = driver().create_stream(0);
  EXPECT_THROW(driver().synchronize(stream()), FaultError);
  EXPECT_THROW(driver().run_on_host([] {}, stream()), FaultError);
  EXPECT_THROW(driver().fill_bytes(&byte, 1, 1, other), FaultError);
  EXPECT_THROW(driver().synchronize(other), FaultError);
  driver().destroy_stream(other);
  driver().clear_fault(0);
  EXPECT_EQ(driver().fault(0), nullptr);
  EXPECT_NO_THROW(driver().synchronize(stream()));
}

TEST_P(FaultContract, OtherDevicesGoOn) {
  fail_device();
  char byte = 0;
  StreamHandle other = driver().create_stream(1);
  driver().fill_bytes(&byte, 1, 1, other);
  driver().synchronize(other);
  EXPECT_EQ(byte, 1);
  EXPECT_EQ(driver().fault(1), nullptr);
  driver().destroy_stream(other);
  driver().clear_fault(0);
}

const auto kPlatforms = testing::Values(PlatformKind::cpu, PlatformKind::cuda);
const auto kName = [](const auto& platform) { return std::string(name_of(platform.param)); };
INSTANTIATE_TEST_SUITE_P(Platforms, DiscoveryContract, kPlatforms, kName);
INSTANTIATE_TEST_SUITE_P(Platforms, FaultContract, kPlatforms, kName);

}  // namespace
}  // namespace cupola
