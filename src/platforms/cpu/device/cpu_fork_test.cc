// A forked child goes on with the emulated devices, whatever the parent's threads were doing.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/testing/child.h"
#include "platforms/cpu/device/cpu_driver.h"
#include "platforms/cpu/streams/stream.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;  // bytes: too many to be filled at once

class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    began_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void await_begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return began_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool began_ = false;
};

bool all_are(const std::vector<std::uint8_t>& bytes, std::uint8_t value) {
  return bytes == std::vector<std::uint8_t>(bytes.size(), value);
}

// New work on a new stream, with loops over the pool.
bool computes(CpuDriver& driver) {
  std::vector<std::uint8_t> bytes(8 * kLarge, 1);
  StreamHandle stream = driver.create_stream(0);
  driver.fill_bytes(bytes.data(), 9, bytes.size(), stream);
  driver.synchronize(stream);
  driver.destroy_stream(stream);
  return all_are(bytes, 9);
}

TEST(CpuFork, BeforeAndAfterThePoolStarted) {
  CpuDriver driver({1, std::size_t{1} << 30});
  EXPECT_EQ(status_of_child([&] { return computes(driver); }), 0);
  EXPECT_TRUE(computes(driver));
  EXPECT_EQ(status_of_child([&] { return computes(driver); }), 0);
  EXPECT_TRUE(computes(driver));
  EXPECT_EQ(status_of_child([&] {
              return computes(driver) && status_of_child([&] { return computes(driver); }) == 0;
            }),
            0);
}

TEST(CpuFork, ManyStreamsAtOnce) {
  CpuDriver driver({1, std::size_t{1} << 30});
  constexpr std::size_t kStreams = 200;
  std::vector<std::vector<std::uint8_t>> blocks(kStreams, std::vector<std::uint8_t>(kLarge / 8, 0));
  std::vector<StreamHandle> streams;
  Gate gate;
  StreamHandle blocked = driver.create_stream(0);
  EventHandle event = driver.create_event(0);
  driver.run_on_host([&] { gate.pass(); }, blocked);
  driver.record(event, blocked);
  for (auto& block : blocks) {
    streams.push_back(driver.create_stream(0));
    driver.wait(streams.back(), event);
    driver.fill_bytes(block.data(), 5, block.size(), streams.back());
  }
  gate.await_begin();
  const auto finish = [&] {
    for (StreamHandle stream : streams) driver.synchronize(stream);
    return std::all_of(blocks.begin(), blocks.end(),
                       [](const auto& block) { return all_are(block, 5); });
  };
  EXPECT_EQ(status_of_child(finish), 0);
  // Threads that wait are in nobody's way.
  std::vector<std::thread> waiters;
  for (StreamHandle stream : {streams.front(), streams.back(), blocked}) {
    waiters.emplace_back([&driver, stream] { driver.synchronize(stream); });
  }
  waiters.emplace_back([&] { driver.synchronize(event); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status_of_child(finish), 0);
  gate.open();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_TRUE(finish());
  for (StreamHandle stream : streams) driver.destroy_stream(stream);
  driver.destroy_stream(blocked);
  driver.destroy_event(event);
}

TEST(CpuFork, QueuedWorkIsDoneOnBothSides) {
  CpuDriver driver({1, std::size_t{1} << 30});
  Gate gate;
  std::vector<std::uint8_t> bytes(kLarge, 1);
  StreamHandle blocked = driver.create_stream(0);
  StreamHandle waiting = driver.create_stream(0);
  EventHandle event = driver.create_event(0);
  driver.run_on_host([&] { gate.pass(); }, blocked);
  driver.fill_bytes(bytes.data(), 2, bytes.size(), blocked);
  driver.record(event, blocked);
  driver.wait(waiting, event);
  driver.fill_bytes(bytes.data(), 3, bytes.size() / 2, waiting);
  gate.await_begin();
  // The function that blocks is the parent's; the child goes on behind it.
  const auto finish = [&] {
    driver.synchronize(waiting);
    driver.synchronize(blocked);
    return bytes.front() == 3 && bytes.back() == 2 && driver.is_complete(event) &&
           driver.is_idle(blocked);
  };
  EXPECT_EQ(status_of_child(finish), 0);
  EXPECT_EQ(status_of_child([&] {
              while (!driver.is_complete(event)) std::this_thread::yield();  // nobody waits for it
              return finish();
            }),
            0);
  gate.open();
  EXPECT_TRUE(finish());
  driver.destroy_event(event);
  driver.destroy_stream(blocked);
  driver.destroy_stream(waiting);
}

TEST(CpuFork, AFunctionBesideAStreamIsTheParents) {
  CpuDriver driver({1, std::size_t{1} << 30});
  std::vector<std::uint8_t> bytes(kLarge, 1);
  StreamHandle stream = driver.create_stream(0);
  Driver::Done done;
  Gate begun;
  begun.open();
  driver.run_beside(
      [&](const Driver::Done& given) {
        done = given;
        begun.pass();
      },
      stream);
  driver.fill_bytes(bytes.data(), 2, bytes.size(), stream);
  begun.await_begin();
  const auto finish = [&] {
    driver.synchronize(stream);
    return all_are(bytes, 2);
  };
  EXPECT_EQ(status_of_child(finish), 0);
  EXPECT_FALSE(driver.is_idle(stream));
  done();
  EXPECT_TRUE(finish());
  driver.destroy_stream(stream);
}

TEST(CpuFork, NothingIsHalfDone) {
  CpuDriver driver({1, std::size_t{1} << 30});
  constexpr int kThreads = 16;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  std::vector<std::vector<std::uint8_t>> blocks(kThreads, std::vector<std::uint8_t>(kLarge, 0));
  for (auto& block : blocks) {
    threads.emplace_back([&driver, &block, &stop] {
      StreamHandle stream = driver.create_stream(0);
      std::vector<std::uint8_t> copy(block.size());
      for (std::uint8_t value = 0; !stop; ++value) {
        driver.fill_bytes(block.data(), value, block.size(), stream);
        driver.copy_to_host(copy.data(), block.data(), block.size(), stream);
        if (!all_are(copy, value)) abort();
      }
      driver.destroy_stream(stream);
    });
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(status_of_child([&] {
                for (const auto& block : blocks) {
                  if (!all_are(block, block.front())) return false;
                }
                return computes(driver);
              }),
              0)
        << "fork " << i;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// Each thread adds to its sum in stream order; a child that did a task again would see it.
TEST(CpuFork, NoTaskIsDoneTwice) {
  constexpr int kTasks = 2000;
  // Long enough that the fork finds one of them running.
  const auto pass_time = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
    while (std::chrono::steady_clock::now() < end) continue;
  };
  for (int i = 0; i < 20; ++i) {
    const auto stream = std::make_shared<Stream>(0);
    int done = 0;
    for (int task = 0; task < kTasks; ++task) {
      stream->enqueue([&] {
        pass_time();
        ++done;
      });
    }
    const auto finish = [&] {
      stream->synchronize();
      return done == kTasks;
    };
    EXPECT_EQ(status_of_child(finish), 0) << "fork " << i;
    EXPECT_TRUE(finish());
  }
}

// The stack of a thread that waited in the parent is free in the child, and may be in use again.
TEST(CpuFork, WhatALostCallerWaitsForIsLeftOut) {
  CpuDriver driver({1, std::size_t{1} << 30});
  const std::vector<std::uint8_t> source(kLarge, 7);
  std::vector<std::uint8_t> target(kLarge, 1);
  StreamHandle stream = driver.create_stream(0);
  Gate gate;
  driver.run_on_host([&] { gate.pass(); }, stream);
  gate.await_begin();
  std::atomic<bool> is_queued{false};
  std::thread caller([&] {
    driver.copy_to_caller(target.data(), source.data(), kLarge, stream);
    is_queued = true;
    driver.synchronize(stream);
  });
  while (!is_queued) std::this_thread::yield();
  EXPECT_EQ(status_of_child([&] {
              driver.synchronize(stream);
              return all_are(target, 1) && computes(driver);
            }),
            0);
  gate.open();
  caller.join();
  EXPECT_TRUE(all_are(target, 7));
  driver.destroy_stream(stream);
}

TEST(ThreadPool, LoopsThrowWhatARangeThrows) {
  std::atomic<std::int64_t> sum{0};
  parallel_for(1000, 1, [&](std::int64_t first, std::int64_t last) { sum += last - first; });
  EXPECT_EQ(sum, 1000);
  EXPECT_THROW(parallel_for(1000, 1,
                            [](std::int64_t first, std::int64_t) {
                              if (first > 0) throw std::runtime_error("range");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace cupola::cpu
