#include "driver/health.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "cupola/error.h"

namespace cupola {
namespace {

template <typename Exception>
std::string message_of(DeviceHealth& health) {
  try {
    health.check();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(DeviceHealth, ReportsTheErrorOnceAndThenRepeatsIt) {
  DeviceHealth health(Device(PlatformKind::cuda, 2));
  EXPECT_NO_THROW(health.check());
  EXPECT_EQ(health.fault(), nullptr);
  health.fail(std::make_exception_ptr(DeviceError("an illegal address", 700)));
  health.fail(std::make_exception_ptr(DeviceError("what came of it", 999)));
  EXPECT_NE(health.fault(), nullptr);
  {
    const UnreportedFaults background;
    EXPECT_EQ(message_of<DeviceError>(health), "an illegal address");
  }
  EXPECT_EQ(message_of<DeviceError>(health), "an illegal address");
  for (int i = 0; i < 2; ++i) {
    try {
      health.check();
      FAIL() << "nothing was thrown";
    } catch (const FaultError& error) {
      EXPECT_EQ(error.status(), 700);
      EXPECT_NE(std::string(error.what()).find("cuda:2"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("an illegal address"), std::string::npos);
    }
  }
  health.clear();
  EXPECT_NO_THROW(health.check());
  health.fail(std::make_exception_ptr(std::runtime_error("another")));
  EXPECT_EQ(message_of<std::runtime_error>(health), "another");
}

TEST(DeviceHealth, GoesOnAfterTheHostRanOutOfMemory) {
  DeviceHealth health(Device(PlatformKind::cpu, 1));
  health.fail(std::make_exception_ptr(std::bad_alloc()));
  EXPECT_TRUE(health.is_failed());
  EXPECT_EQ(health.fault(), nullptr);
  {
    const UnreportedFaults background;
    EXPECT_THROW(health.check(), OutOfMemoryError);
  }
  EXPECT_NE(message_of<OutOfMemoryError>(health).find("cpu:1"), std::string::npos);
  EXPECT_NO_THROW(health.check());

  health.fail(std::make_exception_ptr(std::bad_alloc()));
  health.fail(std::make_exception_ptr(DeviceError("an illegal address")));
  health.fail(std::make_exception_ptr(std::bad_alloc()));
  EXPECT_EQ(message_of<DeviceError>(health), "an illegal address");
  EXPECT_THROW(health.check(), FaultError);
}

TEST(DeviceHealth, NamesTheLastLaunchesNewestFirst) {
  DeviceHealth health(Device(PlatformKind::cuda, 0));
  EXPECT_EQ(health.recent_launches(), "");
  health.note_launch({"first_kernel", {1, 1, 1}, 32, 7});
  for (int i = 0; i < 15; ++i) health.note_launch({"other_kernel", {2, 1, 1}, 64, 8});
  health.note_launch({"last_kernel", {3, 4, 1}, 128, 9});
  const std::string text = health.recent_launches();
  EXPECT_EQ(text.find("first_kernel"), std::string::npos);
  EXPECT_NE(text.find("last_kernel (launch 17, stream 9, grid 3x4x1, 128 threads per block)"),
            std::string::npos);
  EXPECT_LT(text.find("last_kernel"), text.find("other_kernel"));
}

}  // namespace
}  // namespace cupola
