// The platform on the fake driver of tests/fake_cuda, each test in a process of its own that finds
// the fake where the system's driver would be.

#include <gtest/gtest.h>

#include <string>

#include "base/testing/child.h"
#include "cupola/error.h"
#include "driver/driver.h"
#include "platforms/cuda/fake_process.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {
namespace {

int status_of(const std::string& test) { return status_of_fake_process("FakeProcess." + test); }

class FakeCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
  }
};

TEST_F(FakeCuda, WorkOnADeviceMakesNoContextOnAnother) { EXPECT_EQ(status_of("Contexts"), 0); }
TEST_F(FakeCuda, AForkedChildIsRefused) { EXPECT_EQ(status_of("Fork"), 0); }

class FakeProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_fake_process()) GTEST_SKIP() << "run by the tests of FakeCuda";
    driver_ = cupola_create_driver(nullptr);
    ASSERT_NE(driver_, nullptr);
    ASSERT_EQ(driver_->device_count(), 2);
  }
  Driver* driver_ = nullptr;
};

TEST_F(FakeProcess, Contexts) {
  EXPECT_FALSE(driver_->is_initialized());
  EXPECT_FALSE(driver_->has_context(1));
  void* memory = driver_->allocate(1, 1000, MemoryKind::device);
  driver_->destroy_stream(driver_->create_stream(1));
  driver_->deallocate(1, memory, 1000, MemoryKind::device);
  EXPECT_TRUE(driver_->has_context(1));
  EXPECT_FALSE(driver_->has_context(0));
}

TEST_F(FakeProcess, Fork) {
  void* memory = driver_->allocate(0, 1000, MemoryKind::device);
  StreamHandle stream = driver_->create_stream(0);
  const int status = status_of_child([&] {
    int refused = 0;
    const auto expect_refusal = [&](const auto& use) {
      try {
        use();
      } catch (const ForkedProcessError&) {
        ++refused;
      }
    };
    expect_refusal([&] { driver_->allocate(0, 1000, MemoryKind::device); });
    expect_refusal([&] { driver_->create_stream(1); });
    expect_refusal([&] { driver_->synchronize(stream); });
    driver_->deallocate(0, memory, 1000, MemoryKind::device);
    driver_->destroy_stream(stream);
    return refused == 3 && driver_->device_count() == 2;
  });
  EXPECT_EQ(status, 0);
  driver_->synchronize(stream);
  driver_->destroy_stream(stream);
  driver_->deallocate(0, memory, 1000, MemoryKind::device);
}

}  // namespace
}  // namespace cupola::cuda
