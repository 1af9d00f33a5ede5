// A forked child goes on with the emulated devices, whatever the parent's threads were doing.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "platforms/cpu/cpu_driver.h"
#include "platforms/cpu/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;  // bytes: too many to be filled at once

template <typename Body>
int status_of_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

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
