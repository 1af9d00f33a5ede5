// What every Driver must do, on every platform that is usable here and on sets of its devices:
// memory, streams, events, copies. driver_plans_test.cc has the kernels.

#include "driver/driver.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;
using contract::Gate;

TEST_P(DriverContract, DescribesItsDevices) {
  EXPECT_EQ(driver().platform(), GetParam().platform);
  ASSERT_GE(driver().device_count(), 1);
  const DeviceProperties properties = driver().properties(device());
  EXPECT_FALSE(properties.name.empty());
  EXPECT_FALSE(properties.uuid.empty());
  EXPECT_GT(properties.multiprocessors, 0);
  EXPECT_GT(properties.total_memory, 0u);
  const MemoryInfo memory = driver().memory_info(device());
  EXPECT_LE(memory.free, memory.total);
}

TEST_P(DriverContract, UnknownDevicesAreRefused) {
  for (const int unknown : unknown_devices()) {
    EXPECT_THROW(driver().properties(unknown), DeviceError);
    EXPECT_THROW(driver().create_stream(unknown), DeviceError);
    EXPECT_THROW(driver().allocate(unknown, 64, MemoryKind::device), DeviceError);
  }
}

TEST_P(DriverContract, MemoryIsAlignedAndCopiesReturnIt) {
  for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned, MemoryKind::managed}) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{5} << 20}) {
      void* memory = driver().allocate(device(), bytes, kind);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
      std::vector<unsigned char> source(bytes);
      std::iota(source.begin(), source.end(), static_cast<unsigned char>(3));
      std::vector<unsigned char> target(bytes);
      driver().copy_from_host(memory, source.data(), bytes, stream());
      driver().copy_to_host(target.data(), memory, bytes, stream());
      EXPECT_EQ(source, target);
      driver().synchronize(stream());
      driver().deallocate(device(), memory, bytes, kind);
    }
  }
}

TEST_P(DriverContract, TooMuchMemoryIsAnErrorThatChangesNothing) {
  const MemoryInfo before = driver().memory_info(device());
  EXPECT_THROW(
      driver().allocate(device(), before.total + (std::size_t{1} << 40), MemoryKind::device),
      OutOfMemoryError);
  void* memory = driver().allocate(device(), 4096, MemoryKind::device);
  driver().deallocate(device(), memory, 4096, MemoryKind::device);
}

TEST_P(DriverContract, FillsAndCopiesInOrder) {
  const std::size_t bytes = std::size_t{3} << 20;
  void* a = allocate(bytes);
  void* b = allocate(bytes);
  for (std::uint8_t value = 1; value < 20; ++value) {
    driver().fill_bytes(a, value, bytes, stream());
    driver().copy(b, device(), a, device(), bytes, stream());
  }
  driver().fill_bytes(a, 0, bytes, stream());
  const auto host = read<std::uint8_t>(b, bytes);
  EXPECT_EQ(host.front(), 19);
  EXPECT_EQ(host, std::vector<std::uint8_t>(bytes, 19));
}

TEST_P(DriverContract, HostFunctionsRunInOrder) {
  std::vector<int> order;  // touched in stream order only
  for (int i = 0; i < 100; ++i) {
    driver().run_on_host([&order, i] { order.push_back(i); }, stream());
  }
  driver().synchronize(stream());
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
  EXPECT_TRUE(driver().is_idle(stream()));
}

TEST_P(DriverContract, CopiesReadTheSourceBeforeTheyReturn) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{100000}}) {
    void* memory = allocate(bytes);
    Gate gate;
    driver().run_on_host([&gate] { gate.wait(); }, stream());
    std::vector<char> source(bytes, 'a');
    std::thread opener([&gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gate.open();
    });
    driver().copy_from_host(memory, source.data(), bytes, stream());
    std::fill(source.begin(), source.end(), 'b');
    EXPECT_EQ(read<char>(memory, bytes), std::vector<char>(bytes, 'a'));
    opener.join();
  }
}

TEST_P(DriverContract, StreamsAreIndependent) {
  constexpr std::size_t kBytes = 4096;
  void* memory = driver().allocate(device(), kBytes, MemoryKind::device);
  StreamHandle other = driver().create_stream(device());
  Gate gate;
  driver().run_on_host([&gate] { gate.wait(); }, stream());
  driver().fill_bytes(memory, 7, kBytes, other);
  driver().synchronize(other);
  EXPECT_TRUE(driver().is_idle(other));
  EXPECT_FALSE(driver().is_idle(stream()));
  gate.open();
  driver().synchronize(stream());
  driver().destroy_stream(other);
  driver().deallocate(device(), memory, kBytes, MemoryKind::device);
}

TEST_P(DriverContract, EventsOrderStreams) {
  Gate gate;
  std::atomic<bool> first{false};
  std::atomic<bool> saw_first{false};
  StreamHandle other = driver().create_stream(device());
  EventHandle event = driver().create_event(device());
  EXPECT_TRUE(driver().is_complete(event));  // never recorded
  driver().run_on_host(
      [&] {
        gate.wait();
        first = true;
      },
      stream());
  driver().record(event, stream());
  driver().wait(other, event);
  driver().run_on_host([&] { saw_first = first.load(); }, other);
  EXPECT_FALSE(driver().is_complete(event));
  EXPECT_FALSE(driver().is_idle(other));
  gate.open();
  driver().synchronize(other);
  EXPECT_TRUE(saw_first);
  driver().synchronize(event);
  EXPECT_TRUE(driver().is_complete(event));
  driver().synchronize(stream());
  driver().destroy_event(event);
  driver().destroy_stream(other);
}

TEST_P(DriverContract, WaitsAreForTheRecordBeforeThem) {
  Gate gate;
  EventHandle event = driver().create_event(device());
  StreamHandle other = driver().create_stream(device());
  driver().record(event, stream());
  driver().synchronize(stream());
  driver().wait(other, event);  // for the record above, not the one below
  driver().run_on_host([&gate] { gate.wait(); }, stream());
  driver().record(event, stream());
  driver().synchronize(other);
  EXPECT_FALSE(driver().is_complete(event));
  gate.open();
  driver().synchronize(event);
  driver().synchronize(stream());
  driver().destroy_event(event);
  driver().destroy_stream(other);
}

TEST_P(DriverContract, ManyStreamsHandOverInTurn) {
  constexpr int kStreams = 8;
  constexpr int kRounds = 50;
  std::vector<StreamHandle> streams;
  std::vector<EventHandle> events;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(driver().create_stream(device()));
    events.push_back(driver().create_event(device()));
  }
  int counter = 0;  // ordered by the events alone
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kStreams; ++i) {
      driver().wait(streams[i], events[(i + kStreams - 1) % kStreams]);
      const int expected = round * kStreams + static_cast<int>(i);
      driver().run_on_host(
          [&counter, expected] {
            if (counter == expected) ++counter;
          },
          streams[i]);
      driver().record(events[i], streams[i]);
    }
  }
  for (StreamHandle each : streams) driver().synchronize(each);
  EXPECT_EQ(counter, kRounds * kStreams);
  for (StreamHandle each : streams) driver().destroy_stream(each);
  for (EventHandle each : events) driver().destroy_event(each);
}

TEST_P(DriverContract, ThreadsShareOneStream) {
  std::vector<std::thread> threads;
  int counter = 0;  // touched in stream order only
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) driver().run_on_host([&counter] { ++counter; }, stream());
      driver().synchronize(stream());
    });
  }
  for (std::thread& thread : threads) thread.join();
  driver().synchronize(stream());
  EXPECT_EQ(counter, 800);
}

INSTANTIATE_TEST_SUITE_P(Platforms, DriverContract, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
