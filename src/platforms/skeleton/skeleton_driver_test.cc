#include "platforms/skeleton/skeleton_driver.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/message_of.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "cupola/error.h"

namespace cupola::skeleton {
namespace {

using cupola::testing::message_of;

constexpr std::size_t kMemory = 1 << 20;

class Skeleton : public ::testing::Test {
 protected:
  SkeletonDriver driver_{kMemory};
  const StreamHandle stream_ = driver_.create_stream(0, {});
  ~Skeleton() override { driver_.destroy_stream(stream_); }
};

TEST_F(Skeleton, MemoryIsCountedAndCopiesReturnIt) {
  std::vector<int> values(100), seen(100);
  std::iota(values.begin(), values.end(), 0);
  void* const memory = driver_.allocate(0, 400, MemoryKind::device);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
  EXPECT_EQ(driver_.memory_info(0).free, kMemory - 400);
  EXPECT_EQ(driver_.describe(static_cast<char*>(memory) + 399).kind, PointerKind::device);
  EXPECT_EQ(driver_.describe(static_cast<char*>(memory) + 400).kind, PointerKind::unknown);
  driver_.copy_from_host(memory, values.data(), 400, stream_);
  driver_.copy_to_host(seen.data(), memory, 400, stream_);
  EXPECT_EQ(seen, values);
  driver_.fill_bytes(memory, 0, 400, stream_);
  driver_.copy_to_host(seen.data(), memory, 400, stream_);
  EXPECT_EQ(seen, std::vector<int>(100));
  EXPECT_THROW(driver_.allocate(0, kMemory, MemoryKind::device), OutOfMemoryError);
  driver_.deallocate(0, memory, 400, MemoryKind::device);
  EXPECT_EQ(driver_.memory_info(0).free, kMemory);
  EXPECT_THROW(driver_.allocate(1, 4, MemoryKind::device), DeviceError);
}

TEST_F(Skeleton, StreamsKeepTheirOrder) {
  std::string order;
  driver_.run_on_host([&] { order += "a"; }, stream_);
  std::thread late;
  driver_.run_beside(
      [&](Streams::Done done) {
        late = std::thread([&order, done] {
          order += "b";
          done();
        });
      },
      stream_);
  driver_.run_on_host([&] { order += "c"; }, stream_);
  late.join();
  EXPECT_EQ(order, "abc");
  const EventHandle first = driver_.create_event(0, {.timing = true});
  const EventHandle last = driver_.create_event(0, {.timing = true});
  EXPECT_THROW(driver_.elapsed_milliseconds(first, last), ValueError);
  driver_.record(first, stream_);
  driver_.record(last, stream_);
  EXPECT_GE(driver_.elapsed_milliseconds(first, last), 0);
  driver_.destroy_event(first);
  driver_.destroy_event(last);
}

TEST_F(Skeleton, KernelsKeepTheirPlans) {
  const KernelPlan plan = plans::binary(UfuncId::add, DType::float32, plans::kContiguous, true);
  const std::shared_ptr<Kernel> kernel = driver_.build(plan, 0);
  EXPECT_EQ(kernel->plan(), plan);
  EXPECT_THROW(driver_.launch(kernel, {{4}, {}, {}, {}}, stream_), LaunchError);
  driver_.launch(kernel, {{0}, {}, {}, {}}, stream_);
}

// Everything else may be left out, and says so.
TEST_F(Skeleton, WhatAPlatformLacksIsNamed) {
  const int devices[] = {0};
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"graphs", [&] { driver_.begin_capture(stream_); }},
      {"library of matrix products", [&] { driver_.matmul({}, stream_); }},
      {"library of Fourier transforms", [&] { driver_.fft({}, stream_); }},
      {"library of factorisations", [&] { driver_.factor({}, stream_); }},
      {"kernels of users", [&] { driver_.build_module({}); }},
      {"memory that processes share", [&] { driver_.create_shared(0, 4); }},
      {"memory on several devices", [&] { driver_.connect(devices); }},
      {"allocator in the order of streams", [&] { driver_.allocate_async(4, stream_); }},
      {"managed memory", [&] { driver_.prefetch(nullptr, 0, 0, stream_); }},
      {"streams of others", [&] { driver_.adopt_stream(0, nullptr); }},
  };
  for (const auto& [what, ask] : parts) {
    EXPECT_EQ(message_of<LibraryError>(ask), std::string("this platform has no ") + what);
  }
  EXPECT_FALSE(driver_.is_capturing(stream_));
  EXPECT_EQ(driver_.host_loop(UfuncId::add, nullptr, {}), nullptr);
  EXPECT_EQ(driver_.most_selected(DType::float32, 10), 0);
}

}  // namespace
}  // namespace cupola::skeleton
