// The platform on the fake driver of tests/fake_cuda, each test in a process of its own that finds
// the fake where the system's driver would be.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cupola/error.h"
#include "driver/driver.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;

fs::path own_path() { return fs::read_symlink("/proc/self/exe"); }
fs::path fake_folder() { return own_path().parent_path() / "fake_cuda"; }

// The exit status of this program when it runs one test of FakeProcess.
int status_of(const std::string& test) {
  const pid_t process = fork();
  if (process == 0) {
    setenv("LD_LIBRARY_PATH", fake_folder().c_str(), 1);
    setenv("CUPOLA_TEST_FAKE_CUDA", "1", 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    const std::string filter = "--gtest_filter=FakeProcess." + test;
    execl(own_path().c_str(), own_path().c_str(), filter.c_str(), nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(process, &status, 0);
  return status;
}

class FakeCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fake_folder() / "libcuda.so.1")) GTEST_SKIP() << "tests/fake_cuda is not built";
  }
};

TEST_F(FakeCuda, WorkOnADeviceMakesNoContextOnAnother) { EXPECT_EQ(status_of("Contexts"), 0); }
TEST_F(FakeCuda, AForkedChildIsRefused) { EXPECT_EQ(status_of("Fork"), 0); }

class FakeProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("CUPOLA_TEST_FAKE_CUDA")) GTEST_SKIP() << "run by the tests of FakeCuda";
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
  const pid_t child = fork();
  if (child == 0) {
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
    _exit(refused == 3 && driver_->device_count() == 2 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  driver_->synchronize(stream);
  driver_->destroy_stream(stream);
  driver_->deallocate(0, memory, 1000, MemoryKind::device);
}

}  // namespace
}  // namespace cupola::cuda
