#include "platforms/cpu/streams/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "platforms/cpu/streams/stream.h"

namespace cupola::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// All threads of the pool but one are in a task while this lives.
class BusyPool {
 public:
  BusyPool() {
    for (int i = 1; i < pool_size(); ++i) {
      enqueue([this] {
        ++busy_;
        while (!is_over_) std::this_thread::yield();
        --busy_;
      });
    }
    while (busy_ < pool_size() - 1) std::this_thread::yield();
  }
  ~BusyPool() {
    is_over_ = true;
    while (busy_ > 0) std::this_thread::yield();
  }
  BusyPool(const BusyPool&) = delete;
  BusyPool& operator=(const BusyPool&) = delete;

 private:
  std::atomic<int> busy_{0};
  std::atomic<bool> is_over_{false};
};

// Who ran the ranges of a loop.
class Threads {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ids_.insert(std::this_thread::get_id());
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return ids_.size();
  }
  bool has_this() {
    const std::lock_guard lock(mutex_);
    return ids_.contains(std::this_thread::get_id());
  }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> ids_;
};

// Two ranges, each of which waits for another thread to be at the other one, but not for ever.
void loop_of_two(Threads& threads) {
  parallel_for(2, 1, [&](std::int64_t, std::int64_t) {
    threads.add();
    const auto end = Clock::now() + std::chrono::seconds(20);
    while (threads.count() < 2 && Clock::now() < end) std::this_thread::yield();
  });
}

// The same on a stream, for which a thread of the pool has begun it.
void begin_loop_of_two(Stream& stream, Threads& threads) {
  std::atomic<bool> has_begun{false};
  stream.enqueue([&] {
    has_begun = true;
    loop_of_two(threads);
  });
  while (!has_begun) std::this_thread::yield();
}

TEST(WaitingThread, RunsRangesOfWhatItWaitsFor) {
  if (pool_size() == 1) GTEST_SKIP() << "one thread";
  const BusyPool others;
  const auto stream = std::make_shared<Stream>(0);
  Threads threads;
  begin_loop_of_two(*stream, threads);
  stream->synchronize();
  EXPECT_TRUE(threads.has_this());
  EXPECT_EQ(threads.count(), 2U);
}

TEST(WaitingThread, RunsRangesOfWhatAnEventComesAfter) {
  if (pool_size() == 1) GTEST_SKIP() << "one thread";
  const BusyPool others;
  const auto stream = std::make_shared<Stream>(0);
  Threads threads;
  begin_loop_of_two(*stream, threads);
  const auto completion = stream->record();
  ASSERT_NE(completion, nullptr);
  completion->wait();
  EXPECT_TRUE(threads.has_this());
}

TEST(WaitingThread, LeavesLongWorkAlone) {
  const auto stream = std::make_shared<Stream>(0);
  Threads threads;
  std::atomic<bool> has_begun{false};
  stream->enqueue_long([&] {
    has_begun = true;
    parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
      threads.add();
      const auto end = Clock::now() + std::chrono::milliseconds(1);
      while (Clock::now() < end) {
      }
    });
  });
  while (!has_begun) std::this_thread::yield();
  stream->synchronize();
  EXPECT_FALSE(threads.has_this());
}

}  // namespace
}  // namespace cupola::cpu
