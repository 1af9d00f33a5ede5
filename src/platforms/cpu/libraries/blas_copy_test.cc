#include "platforms/cpu/libraries/blas_copy.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

std::size_t threads_of_this_process() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    count += entry.is_directory() ? 1 : 0;
  }
  return count;
}

// A thread that has ended is still counted until the system has taken it away.
bool are_back_to(std::size_t threads) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (threads_of_this_process() != threads) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

int threads_of(const Blas& library) {
  const std::string name = library.prefix + "openblas_get_num_threads" + library.suffix;
  auto* const get = reinterpret_cast<int (*)()>(dlsym(library.library, name.c_str()));
  return get == nullptr ? 0 : get();
}

TEST(BlasCopy, ComputesOnOneThreadBesideTheLibrary) {
  const Blas& library = blas();
  if (!may_wake_threads(library)) GTEST_SKIP() << library.path << " has no threads";
  const int before = threads_of(library);
  const std::size_t threads = threads_of_this_process();
  const std::optional<Blas> copy = copy_of_one_thread(library);
  ASSERT_TRUE(copy.has_value());
  EXPECT_TRUE(are_back_to(threads));
  EXPECT_EQ(threads_of(*copy), 1);
  EXPECT_EQ(threads_of(library), before);
  EXPECT_NE(copy->gemm.d, library.gemm.d);
  EXPECT_NE(copy->library, library.library);
  EXPECT_EQ(copy->long_integers, library.long_integers);
}

TEST(BlasCopy, IsMadeOnce) {
  EXPECT_EQ(&blas_of_one_thread(), &blas_of_one_thread());
  EXPECT_TRUE(may_share_work() || !may_wake_threads(blas()));
}

constexpr int kForEver = std::numeric_limits<int>::max();

// The threads that run ranges of one loop. Each range lets other threads run until there are two,
// or so often.
std::set<std::thread::id> threads_of_loop(int turns) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
    for (int turn = 0; turn < turns; ++turn) {
      {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        if (threads.size() >= 2) return;
      }
      std::this_thread::yield();
    }
  });
  return threads;
}

TEST(PoolPause, LoopsStayOnTheirThreads) {
  if (pool_size() == 1) GTEST_SKIP() << "one thread";
  EXPECT_GE(threads_of_loop(kForEver).size(), 2U);  // the pool works
  {
    const PoolPause pause;
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(threads_of_loop(10), std::set{std::this_thread::get_id()});
    }
  }
  EXPECT_GE(threads_of_loop(kForEver).size(), 2U);
}

TEST(PoolPause, LoopsThatHaveBegunGetHelpAfterIt) {
  if (pool_size() == 1) GTEST_SKIP() << "one thread";
  std::optional<PoolPause> pause;
  pause.emplace();
  std::atomic<bool> has_begun{false};
  std::thread other([&] {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
      has_begun = true;
      for (;;) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        if (threads.size() >= 2) return;
      }
    });
  });
  while (!has_begun) std::this_thread::yield();
  pause.reset();
  other.join();
}

TEST(PoolPause, OneAtATime) {
  std::atomic<int> alive{0};
  std::atomic<int> most{0};
  const auto pause_often = [&] {
    for (int i = 0; i < 200; ++i) {
      const PoolPause pause;
      most = std::max(most.load(), ++alive);
      --alive;
    }
  };
  std::thread other(pause_often);
  pause_often();
  other.join();
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace cupola::cpu
