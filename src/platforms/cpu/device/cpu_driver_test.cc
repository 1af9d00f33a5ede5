// What is particular to the CPU platform; tests/contract has what all platforms share.

#include "platforms/cpu/device/cpu_driver.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/environment_variables.h"
#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "driver/testing/launch_builder.h"

namespace cupola::cpu {
namespace {

using testing::EnvironmentVariables;
using testing::LaunchBuilder;
using testing::message_of;

TEST(Settings, ComeFromTheEnvironment) {
  const EnvironmentVariables variables{{"CUPOLA_CPU_DEVICES", "3"},
                                       {"CUPOLA_CPU_DEVICE_MEMORY", "1048576"}};
  const Settings settings = read_settings();
  EXPECT_EQ(settings.devices, 3);
  EXPECT_EQ(settings.device_memory.of(2), 1048576u);
}

TEST(Settings, BadValuesAreNamed) {
  for (const char* value : {"0", "-1", "two", "1.5", "99999999999999999999", "2 "}) {
    const EnvironmentVariables devices{{"CUPOLA_CPU_DEVICES", value}};
    const std::string message = message_of<ValueError>([] { read_settings(); });
    EXPECT_NE(message.find("CUPOLA_CPU_DEVICES=" + std::string(value)), std::string::npos)
        << message;
  }
}

TEST(Memory, BudgetIsPerDevice) {
  CpuDriver driver({2, 1000});
  void* first = driver.allocate(1, 600, MemoryKind::device);
  EXPECT_EQ(driver.memory_info(1).free, 400u);
  EXPECT_EQ(driver.memory_info(0).free, 1000u);
  const std::string message =
      message_of<OutOfMemoryError>([&] { driver.allocate(1, 500, MemoryKind::device); });
  for (const char* part : {"cpu:1", "500", "600", "1000"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  void* pinned = driver.allocate(1, 5000, MemoryKind::pinned);
  void* other = driver.allocate(0, 1000, MemoryKind::device);
  driver.deallocate(0, other, 1000, MemoryKind::device);
  driver.deallocate(1, pinned, 5000, MemoryKind::pinned);
  driver.deallocate(1, first, 600, MemoryKind::device);
  EXPECT_EQ(driver.memory_info(1).free, 1000u);
}

TEST(Streams, WorkOfLessThanAMillisecondRunsAtOnceOnAnIdleStream) {
  CpuDriver driver({1, 1 << 20});
  StreamHandle stream = driver.create_stream(0);
  constexpr std::int64_t kCount = 200'000;
  std::vector<float> values(kCount, 1.0f);
  LaunchBuilder builder({kCount});
  const int x = builder.load(DType::float32, values.data());
  builder.store(builder.ufunc(UfuncId::add, {x, x}), values.data());
  const auto kernel = driver.build(builder.plan, 0);
  driver.launch(kernel, builder.arguments, stream);
  EXPECT_TRUE(driver.is_idle(stream));
  EXPECT_EQ(values, std::vector<float>(kCount, 2.0f));
  driver.destroy_stream(stream);
}

TEST(Streams, LargeWorkOfManyStreamsSharesThePool) {
  CpuDriver driver({4, 1 << 30});
  constexpr std::int64_t kCount = 2'000'000;  // more than is done at the call
  constexpr int kStreams = 8;
  constexpr int kRounds = 10;
  std::vector<std::vector<double>> values(kStreams, std::vector<double>(kCount, 0.0));
  std::vector<std::thread> threads;
  for (int t = 0; t < kStreams; ++t) {
    threads.emplace_back([&, t] {
      StreamHandle stream = driver.create_stream(t % 4);
      LaunchBuilder builder({kCount});
      const int x = builder.load(DType::float64, values[static_cast<std::size_t>(t)].data());
      const int one = builder.scalar(Scalar(1.0));
      builder.store(builder.ufunc(UfuncId::add, {x, one}),
                    values[static_cast<std::size_t>(t)].data());
      const auto kernel = driver.build(builder.plan, 0);
      for (int i = 0; i < kRounds; ++i) driver.launch(kernel, builder.arguments, stream);
      driver.synchronize(stream);
      driver.destroy_stream(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& each : values) EXPECT_EQ(each, std::vector<double>(kCount, kRounds));
}

// An event that completes while another thread parks on it must not be missed.
TEST(Streams, WaitsAndRecordsRace) {
  CpuDriver driver({1, 1 << 20});
  StreamHandle a = driver.create_stream(0);
  StreamHandle b = driver.create_stream(0);
  EventHandle event = driver.create_event(0);
  std::atomic<int> sum{0};
  for (int i = 0; i < 2000; ++i) {
    driver.run_on_host([&] { ++sum; }, a);
    driver.record(event, a);
    driver.wait(b, event);
    driver.run_on_host([&sum, i] { EXPECT_GE(sum.load(), i + 1); }, b);
    if (i % 100 == 0) driver.synchronize(b);
  }
  driver.synchronize(a);
  driver.synchronize(b);
  EXPECT_EQ(sum, 2000);
  driver.destroy_event(event);
  driver.destroy_stream(a);
  driver.destroy_stream(b);
}

}  // namespace
}  // namespace cupola::cpu
