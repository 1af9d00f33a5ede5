// The platform on the fake driver of tests/fake_cuda, each test in a process of its own that finds
// the fake where the system's driver would be.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/counters.h"
#include "base/process/process_end.h"
#include "base/testing/child.h"
#include "base/testing/message_of.h"
#include "codegen/cuda/cuda_text.h"
#include "cupola/error.h"
#include "cupola/warnings.h"
#include "driver/driver.h"
#include "driver/testing/launch_builder.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/fake_tests/fake_process.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using ::testing::HasSubstr;

int status_of(const std::string& test) { return status_of_fake_process("FakeProcess." + test); }

class FakeCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
  }
};

TEST_F(FakeCuda, WorkOnADeviceMakesNoContextOnAnother) { EXPECT_EQ(status_of("Contexts"), 0); }
TEST_F(FakeCuda, AForkedChildIsRefused) { EXPECT_EQ(status_of("Fork"), 0); }
TEST_F(FakeCuda, ThreadsFindAWholeTableOfFunctions) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of_fake_process("FakeTable.*"), 0);
}
TEST_F(FakeCuda, KernelsAreOfNoDeviceUntilTheyAreLoaded) {
  EXPECT_EQ(status_of_fake_process("FakeProcess.Kernels", {{"CUPOLA_DISK_CACHE", "0"}}), 0);
}
TEST_F(FakeCuda, WhatCannotFitIsNotLaunched) { EXPECT_EQ(status_of("Launches"), 0); }
TEST_F(FakeCuda, ALateChangeOfTheEnvironmentIsToldAndHasNoEffect) {
  EXPECT_EQ(status_of("LateChange"), 0);
}
TEST_F(FakeCuda, NothingIsCalledWhenTheProcessEnds) { EXPECT_EQ(status_of("End"), 0); }

// None of its threads may see the table before it is filled, so this process makes no driver.
TEST(FakeTable, IsWholeForEveryThread) {
  if (!is_fake_process()) GTEST_SKIP() << "run by the tests of FakeCuda";
  constexpr std::size_t kThreads = 16;
  std::barrier start(kThreads);
  std::atomic<int> incomplete{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const CudaApi& api = internal::loaded_api();
      if (!api.cuInit || !api.event_elapsed_time) ++incomplete;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(incomplete, 0);
}

class FakeProcess : public ::testing::Test {
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

TEST_F(FakeProcess, Kernels) {
  std::vector<float> memory(1000);
  cupola::testing::LaunchBuilder builder({1000});
  const int x = builder.load(DType::float32, memory.data());
  builder.store(builder.ufunc(UfuncId::add, {x, x}), memory.data());
  const std::shared_ptr<Kernel> kernel = driver_->build(builder.plan, 1);
  EXPECT_FALSE(driver_->is_initialized());
  for (const int device : {0, 1}) {
    EXPECT_FALSE(driver_->has_context(device));
    const StreamHandle stream = driver_->create_stream(device);
    driver_->launch(kernel, builder.arguments, stream);
    driver_->destroy_stream(stream);
    EXPECT_EQ(value_of(Counter::compilations), 1u);
    EXPECT_EQ(value_of(Counter::module_loads), static_cast<std::uint64_t>(device + 1));
  }
}

TEST_F(FakeProcess, Launches) {
  const auto function = driver_->build_module({.text = "a kernel"})->function("kernel");
  const StreamHandle stream = driver_->create_stream(0);
  const auto refusal = [&](const LaunchGeometry& geometry) {
    return message_of<LaunchError>([&] { function->launch(geometry, {}, stream); });
  };
  function->launch({.block = {1024, 1, 1}}, {}, stream);
  EXPECT_THAT(refusal({.block = {1025, 1, 1}}), HasSubstr("1025 x 1 x 1 = 1025 threads"));
  EXPECT_THAT(refusal({.shared_bytes = 1}), HasSubstr("1 bytes of dynamic shared memory"));
  driver_->destroy_stream(stream);
}

std::string last_warning;

TEST_F(FakeProcess, LateChange) {
  set_warning_hook([](WarningKind, const std::string& text) noexcept { last_warning = text; });
  setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
  EXPECT_EQ(driver_->device_count(), 2);
  driver_->destroy_stream(driver_->create_stream(0));
  EXPECT_EQ(last_warning, "");
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  EXPECT_EQ(driver_->device_count(), 2);
  EXPECT_THAT(last_warning, HasSubstr("CUDA_VISIBLE_DEVICES='1,0'"));
  EXPECT_THAT(last_warning, HasSubstr("CUDA_VISIBLE_DEVICES='1'"));
}

TEST_F(FakeProcess, End) {
  void* const memory = driver_->allocate(0, 1000, MemoryKind::device);
  void* const pinned = driver_->allocate(0, 1000, MemoryKind::pinned);
  const StreamHandle stream = driver_->create_stream(0);
  const EventHandle event = driver_->create_event(0);
  void* const fake = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(fake, nullptr);
  note_process_end();
  reinterpret_cast<void (*)()>(dlsym(fake, "fake_cuda_mark_exit"))();
  ::testing::internal::CaptureStderr();
  driver_->deallocate(0, memory, 1000, MemoryKind::device);
  driver_->deallocate(0, pinned, 1000, MemoryKind::pinned);
  driver_->destroy_event(event);
  driver_->destroy_stream(stream);
  EXPECT_THROW(driver_->create_stream(0), DeviceError);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
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
