// Options of streams and events, foreign streams and times, on every platform that is usable here.

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;
using contract::Gate;

TEST_P(DriverContract, StreamsOfEveryPriorityRunTheirWork) {
  for (const int priority : {-1000, -1, 0, 1, 1000}) {
    for (const bool non_blocking : {false, true}) {
      StreamHandle each = driver().create_stream(device(), {non_blocking, priority});
      bool ran = false;
      driver().run_on_host([&ran] { ran = true; }, each);
      driver().synchronize(each);
      EXPECT_TRUE(ran);
      driver().destroy_stream(each);
    }
  }
}

TEST_P(DriverContract, NativeHandlesAreOfThePlatform) {
  EventHandle event = driver().create_event(device());
  const bool is_native = !is_cpu();
  EXPECT_EQ(driver().native_handle(stream()) != nullptr, is_native);
  EXPECT_EQ(driver().native_handle(event) != nullptr, is_native);
  driver().destroy_event(event);
}

TEST_P(DriverContract, ForeignStreamsAreSharedOrRefused) {
  if (is_cpu()) {
    EXPECT_THROW(driver().adopt_stream(device(), nullptr), DeviceError);
    return;
  }
  StreamHandle ours = driver().create_stream(device());
  StreamHandle adopted = driver().adopt_stream(device(), driver().native_handle(ours));
  EXPECT_EQ(driver().native_handle(adopted), driver().native_handle(ours));
  Gate gate;
  driver().run_on_host([&gate] { gate.wait(); }, ours);
  EXPECT_FALSE(driver().is_idle(adopted));
  gate.open();
  driver().synchronize(adopted);
  EXPECT_TRUE(driver().is_idle(ours));
  driver().destroy_stream(adopted);
  bool ran = false;
  driver().run_on_host([&ran] { ran = true; }, ours);  // it is still there
  driver().synchronize(ours);
  EXPECT_TRUE(ran);
  driver().destroy_stream(ours);
  for (const int unknown : unknown_devices()) {
    EXPECT_THROW(driver().adopt_stream(unknown, nullptr), DeviceError);
  }
}

TEST_P(DriverContract, DefaultStreamsOfTheProcessCanBeAdopted) {
  if (is_cpu()) GTEST_SKIP() << "CPU devices have no native streams";
  for (const std::uintptr_t native : {0, 1, 2}) {
    StreamHandle adopted = driver().adopt_stream(device(), reinterpret_cast<void*>(native));
    EventHandle event = driver().create_event(device());
    void* memory = allocate(64);
    driver().fill_bytes(memory, 5, 64, adopted);
    driver().record(event, adopted);
    driver().wait(stream(), event);
    EXPECT_EQ(read<std::uint8_t>(memory, 64), std::vector<std::uint8_t>(64, 5));
    driver().synchronize(adopted);
    EXPECT_TRUE(driver().is_idle(adopted));
    driver().destroy_event(event);
    driver().destroy_stream(adopted);
  }
}

TEST_P(DriverContract, TimeBetweenEventsIsThatOfTheWorkBetweenThem) {
  const EventOptions timed{.timing = true};
  EventHandle first = driver().create_event(device(), timed);
  EventHandle last = driver().create_event(device(), timed);
  driver().record(first, stream());
  driver().synchronize(first);
  const auto begin = std::chrono::steady_clock::now();
  Gate gate;
  driver().run_on_host([&gate] { gate.wait(); }, stream());
  driver().record(last, stream());
  EXPECT_THROW(driver().elapsed_milliseconds(first, last), ValueError);  // not complete
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(10)) {
    std::this_thread::yield();
  }
  gate.open();
  driver().synchronize(last);
  EXPECT_GE(driver().elapsed_milliseconds(first, last), 9.0);
  EXPECT_LE(driver().elapsed_milliseconds(last, first), -9.0);
  EXPECT_EQ(driver().elapsed_milliseconds(first, first), 0.0);
  driver().destroy_event(first);
  driver().destroy_event(last);
}

TEST_P(DriverContract, EventsWithoutTimesSaySo) {
  const EventOptions timed{.timing = true};
  EventHandle recorded = driver().create_event(device(), timed);
  EventHandle fresh = driver().create_event(device(), timed);
  EventHandle untimed = driver().create_event(device(), EventOptions{.blocking = true});
  driver().record(recorded, stream());
  driver().record(untimed, stream());
  driver().synchronize(untimed);
  const auto message = [&](EventHandle a, EventHandle b) {
    return testing::message_of<ValueError>([&] { driver().elapsed_milliseconds(a, b); });
  };
  EXPECT_NE(message(recorded, fresh).find("never recorded"), std::string::npos);
  EXPECT_NE(message(untimed, recorded).find("without timing"), std::string::npos);
  EXPECT_THROW(driver().create_event(device(), {.timing = true, .interprocess = true}), ValueError);
  for (const int unknown : unknown_devices()) {
    EXPECT_THROW(driver().create_event(unknown, timed), DeviceError);
  }
  for (EventHandle each : {recorded, fresh, untimed}) driver().destroy_event(each);
}

TEST_P(DriverContract, WorkWaitsForWhatRunsBesideTheStreamAndOtherStreamsDoNot) {
  Driver::Done done;
  Gate begun;
  std::atomic<bool> finished{false};
  std::atomic<bool> saw_finished{false};
  // On CUDA a stream that needs another channel of the device is not made while one waits.
  StreamHandle other = driver().create_stream(device());
  driver().run_beside(
      [&](Driver::Done given) {
        done = std::move(given);
        begun.open();
      },
      stream());
  driver().run_on_host([&] { saw_finished = finished.load(); }, stream());
  begun.wait();
  bool ran = false;
  driver().run_on_host([&ran] { ran = true; }, other);
  driver().synchronize(other);
  EXPECT_TRUE(ran);
  EXPECT_FALSE(driver().is_idle(stream()));
  finished = true;
  done();
  driver().synchronize(stream());
  EXPECT_TRUE(saw_finished);
  driver().destroy_stream(other);
}

TEST_P(DriverContract, WhatRunsBesideTheStreamKeepsItsOrder) {
  std::vector<int> order;
  std::vector<std::thread> threads;
  std::mutex mutex;
  for (int i = 0; i < 20; ++i) {
    driver().run_beside(
        [&, i](Driver::Done done) {
          const std::lock_guard lock(mutex);
          threads.emplace_back([&order, i, done = std::move(done)] {
            order.push_back(i);
            done();
          });
        },
        stream());
  }
  driver().synchronize(stream());
  for (std::thread& thread : threads) thread.join();
  std::vector<int> expected(20);
  for (int i = 0; i < 20; ++i) expected[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(order, expected);
}

}  // namespace
}  // namespace cupola
