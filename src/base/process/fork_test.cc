#include "base/process/fork.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/child.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"

namespace cupola {
namespace {

TEST(Fork, CountsGenerations) {
  const std::uint64_t here = fork_generation();
  EXPECT_FALSE(is_inherited(here));
  EXPECT_EQ(status_of_working_child([&] {
              return fork_generation() == here + 1 && is_inherited(here) &&
                     status_of_working_child([&] { return fork_generation() == here + 2; }) == 0;
            }),
            0);
  EXPECT_EQ(fork_generation(), here);
}

TEST(Fork, InheritedHandlesAreRefusedWithTheReason) {
  const std::uint64_t handle = fork_generation();
  EXPECT_NO_THROW(check_not_forked(handle));
  note_device_initialization("cuInit", "train.py:12");
  EXPECT_EQ(status_of_working_child([&] {
              try {
                check_not_forked(handle);
              } catch (const ForkedProcessError& error) {
                const std::string text = error.what();
                return text.find("cuInit, called first at train.py:12") != std::string::npos &&
                       text.find("spawn") != std::string::npos;
              }
              return false;
            }),
            0);
}

TEST(Fork, HandlersRunFromTheUpperLayersDownAndBack) {
  static std::string& order = *new std::string;
  const auto note = [](char c) { return [c] { order += c; }; };
  at_fork(ForkLayer::base, {note('c'), note('1'), note('x')});
  at_fork(ForkLayer::exec, {note('a'), note('3'), note('z')});
  at_fork(ForkLayer::exec, {note('b'), note('2'), note('y')});
  come_first_at_fork();  // once more registered, they still run once
  order.clear();
  EXPECT_EQ(status_of_working_child([] { return order == "abcxyz"; }), 0);
  EXPECT_EQ(order, "abc123");
}

TEST(Fork, ARegisteredLockIsFreeInTheChild) {
  static std::mutex& mutex = *new std::mutex;
  static int guarded = 0;  // odd while a holder is at work
  lock_at_fork(ForkLayer::runtime, mutex);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        const std::lock_guard lock(mutex);
        ++guarded;
        std::this_thread::yield();
        ++guarded;
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(status_of_working_child([] { return mutex.try_lock() && guarded % 2 == 0; }), 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// Whoever registers may hold a lock that the fork waits for.
TEST(Fork, HandlersMayBeRegisteredWhileOneIsUnderWay) {
  static std::mutex& mutex = *new std::mutex;
  static std::atomic<bool> is_under_way{false};
  static int prepared = 0;
  static bool ran_in_child = false;
  at_fork(ForkLayer::python, {[] { is_under_way = true; }, {}, {}});
  lock_at_fork(ForkLayer::runtime, mutex);
  std::unique_lock lock(mutex);
  int status = -1;
  std::thread forker(
      [&] { status = status_of_working_child([] { return ran_in_child && prepared == 0; }); });
  while (!is_under_way) std::this_thread::yield();
  at_fork(ForkLayer::exec, {[] { ++prepared; }, [] { --prepared; },
                            [] {
                              --prepared;
                              ran_in_child = true;
                            }});
  lock.unlock();
  forker.join();
  EXPECT_EQ(status, 0);
  EXPECT_EQ(prepared, 0);
}

TEST(Mutex, ExcludesAndWakes) {
  Mutex mutex;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20000; ++k) {
        const std::lock_guard lock(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 80000);
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
}

TEST(Mutex, OneThatAnotherThreadHeldIsOpenInTheChild) {
  Mutex mutex;
  mutex.lock();
  EXPECT_EQ(status_of_working_child([&] {
              mutex.lock();
              if (mutex.try_lock()) return false;
              mutex.unlock();
              return mutex.try_lock();
            }),
            0);
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
}

}  // namespace
}  // namespace cupola
