#include "memory/pool/pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "base/testing/sanitized.h"
#include "cupola/error.h"
#include "memory/pool/thread_magazines.h"
#include "memory/testing.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

using testing::CountedPool;
using testing::cpu_device;
using testing::kMiB;
using testing::new_stream;

TEST(Pool, ABlockServesItsOwnStreamAgain) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  const StreamPointer stream = new_stream();
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{3} * kMiB, 40 * kMiB}) {
    void* first = pool.allocate(bytes, stream);
    pool.deallocate(first, bytes, stream);
    const std::size_t calls = counted.calls();
    EXPECT_EQ(pool.statistics().used, 0u);
    EXPECT_GE(pool.statistics().cached, bytes);
    EXPECT_EQ(pool.allocate(bytes, stream), first);
    EXPECT_EQ(counted.calls(), calls);
    pool.deallocate(first, bytes, stream);
  }
  EXPECT_GE(pool.trim(), 43 * kMiB);
  EXPECT_EQ(pool.statistics().cached, 0u);
  EXPECT_EQ(counted.taken(), 0u);
}

TEST(Pool, UsedAndCachedBytesAreExact) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  const StreamPointer stream = new_stream();
  void* small = pool.allocate(400, stream);
  EXPECT_EQ(pool.statistics().used, 512u);
  void* large = pool.allocate(20 * kMiB, stream);
  EXPECT_EQ(pool.statistics().used, 512 + 20 * kMiB);
  EXPECT_EQ(pool.statistics().cached, counted.taken() - pool.statistics().used);
  std::thread([&] { pool.deallocate(small, 400, stream); }).join();
  EXPECT_EQ(pool.statistics().used, 20 * kMiB);
  pool.deallocate(large, 20 * kMiB, stream);
  EXPECT_EQ(pool.statistics().used, 0u);
}

// P3.4: what the new owner writes comes last although the old one's write has not run yet.
TEST(Pool, ABlockOfABusyStreamIsTakenLastAndWaitedFor) {
  CountedPool counted(kMiB);
  Pool& pool = *counted.pool;
  const StreamPointer slow = new_stream();
  const StreamPointer fast = new_stream();
  Driver& cpu = slow->driver();
  constexpr std::size_t kBytes = 1 << 16;
  void* block = pool.allocate(kBytes, slow);
  StreamGate gate{Stream(slow)};
  cpu.fill_bytes(block, 1, kBytes, slow->handle());
  pool.deallocate(block, kBytes, slow);
  void* other = pool.allocate(kBytes, fast);
  EXPECT_NE(other, block);  // there is more memory: no stream waits for another
  pool.deallocate(other, kBytes, fast);
  counted.upstream->set_limit(0);
  std::vector<void*> taken;
  while (taken.empty() || taken.back() != block) taken.push_back(pool.allocate(kBytes, fast));
  EXPECT_FALSE(fast->is_known_complete(fast->submitted()));  // the wait is work of this stream
  cpu.fill_bytes(block, 2, kBytes, fast->handle());
  EXPECT_FALSE(cpu.is_idle(fast->handle()));
  gate.open();
  std::vector<unsigned char> host(kBytes);
  cpu.copy_to_host(host.data(), block, kBytes, fast->handle());
  slow->synchronize();
  EXPECT_EQ(host, std::vector<unsigned char>(kBytes, 2));
  for (void* each : taken) pool.deallocate(each, kBytes, fast);
}

TEST(Pool, BlocksOfAnIdleStreamServeOthersWithoutWaiting) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  StreamPointer first = new_stream();
  void* block = pool.allocate(30 * kMiB, first);
  pool.deallocate(block, 30 * kMiB, first);
  const StreamPointer second = new_stream();
  const std::size_t calls = counted.calls();
  EXPECT_EQ(pool.allocate(30 * kMiB, second), block);
  EXPECT_EQ(counted.calls(), calls);
  pool.deallocate(block, 30 * kMiB, second);
}

TEST(Pool, StreamsThatAreGoneLeaveTheirBlocksAndAreNotKept) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  std::vector<std::weak_ptr<StreamState>> streams;
  for (int i = 0; i < 100; ++i) {
    const StreamPointer stream = new_stream();
    streams.push_back(stream);
    void* block = pool.allocate(30 * kMiB, stream);
    stream->driver().fill_bytes(block, 1, 4096, stream->handle());
    stream->synchronize();
    pool.deallocate(block, 30 * kMiB, stream);
  }
  EXPECT_LE(counted.taken(), 60 * kMiB);
  const auto alive = std::count_if(streams.begin(), streams.end(),
                                   [](const auto& stream) { return !stream.expired(); });
  EXPECT_LE(alive, 2);
}

TEST(Pool, ThreadsThatEndLeaveNothingBehind) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  const StreamPointer stream = new_stream();
  for (int i = 0; i < 1000; ++i) {
    std::thread([&] {
      void* blocks[] = {pool.allocate(100, stream), pool.allocate(100'000, stream)};
      pool.deallocate(blocks[0], 100, stream);
      pool.deallocate(blocks[1], 100'000, stream);
    }).join();
  }
  EXPECT_EQ(pool.statistics().used, 0u);
  EXPECT_EQ(counted.taken(), 2 * kMiB);
  counted.pool.reset();
  EXPECT_EQ(counted.counts.use_count(), 1) << "a thread that ended still has the pool";
}

// Another thread's magazine hides nothing from a thread that needs the memory.
TEST(Pool, CachedBlocksOfOtherThreadsAreFoundBeforeTheDeviceIsAsked) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  const StreamPointer stream = new_stream();
  std::latch cached(1), taken(1);
  void* theirs = nullptr;
  std::thread other([&] {
    theirs = pool.allocate(20 * kMiB, stream);
    pool.deallocate(theirs, 20 * kMiB, stream);
    cached.count_down();
    taken.wait();
    EXPECT_NE(pool.allocate(20 * kMiB, stream), theirs);
  });
  cached.wait();
  EXPECT_EQ(pool.allocate(20 * kMiB, stream), theirs);
  EXPECT_EQ(counted.calls(), 1u);
  taken.count_down();
  other.join();
}

TEST(Pool, LargeBlocksAreSplitAndJoinedAgain) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  const StreamPointer stream = new_stream();
  void* whole = pool.allocate(64 * kMiB, stream);
  pool.deallocate(whole, 64 * kMiB, stream);
  std::vector<void*> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(pool.allocate(16 * kMiB, stream));
  EXPECT_EQ(counted.calls(), 1u);
  for (void* part : parts) pool.deallocate(part, 16 * kMiB, stream);
  EXPECT_EQ(pool.allocate(64 * kMiB, stream), whole);
  EXPECT_EQ(counted.calls(), 1u);
  pool.deallocate(whole, 64 * kMiB, stream);
}

TEST(Pool, LimitsHoldAndMayBeBelowWhatIsInUse) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  const StreamPointer stream = new_stream();
  pool.set_limit(4 * kMiB);
  void* small = pool.allocate(100, stream);
  void* large = pool.allocate(2 * kMiB, stream);  // exactly what is left
  EXPECT_THROW(pool.allocate(2 * kMiB, stream), OutOfMemoryError);
  pool.set_limit(kMiB);
  EXPECT_THROW(pool.allocate(3 * kMiB, stream), OutOfMemoryError);
  void* cached = pool.allocate(100, stream);  // needs nothing new
  pool.set_limit(0);
  void* more = pool.allocate(30 * kMiB, stream);
  for (const auto& [pointer, bytes] : {std::pair{small, std::size_t{100}},
                                       {large, 2 * kMiB},
                                       {cached, std::size_t{100}},
                                       {more, 30 * kMiB}}) {
    pool.deallocate(pointer, bytes, stream);
  }
  EXPECT_EQ(pool.statistics().used, 0u);
}

TEST(Pool, TrimOfOneStreamLeavesTheOthers) {
  CountedPool counted;
  Pool& pool = *counted.pool;
  const StreamPointer one = new_stream();
  const StreamPointer two = new_stream();
  void* first = pool.allocate(20 * kMiB, one);
  void* second = pool.allocate(20 * kMiB, two);
  pool.deallocate(first, 20 * kMiB, one);
  pool.deallocate(second, 20 * kMiB, two);
  EXPECT_EQ(pool.trim(one), 20 * kMiB);
  EXPECT_EQ(pool.statistics().cached, 20 * kMiB);
  EXPECT_EQ(pool.trim(), 20 * kMiB);
}

TEST(Pool, WithLittleMemoryOnlyWhatIsNeededIsTaken) {
  CountedPool counted(300'000);
  const StreamPointer stream = new_stream();
  void* block = counted.pool->allocate(100'000, stream);  // no room for a segment of many
  EXPECT_LE(counted.taken(), 120'000u);
  counted.pool->deallocate(block, 100'000, stream);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Nanoseconds of allocate and deallocate together.
double median_hit(Pool& pool, std::size_t bytes) {
  const StreamPointer stream = new_stream();
  constexpr int kBatch = 1000;
  std::vector<double> times;
  for (int run = 0; run < 200; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; ++i) pool.deallocate(pool.allocate(bytes, stream), bytes, stream);
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - begin;
    times.push_back(elapsed.count() / kBatch);
  }
  return median(std::move(times));
}

TEST(PoolFigures, AHitTakesLessThanHundredNanosecondsWithOneThreadAndWithEight) {
  for (const std::size_t bytes : {std::size_t{4096}, 8 * kMiB}) {
    for (const int count : {1, 8}) {
      CountedPool counted;
      std::vector<double> medians(static_cast<std::size_t>(count));
      std::vector<std::thread> threads;
      for (double& result : medians) {
        threads.emplace_back([&] { result = median_hit(*counted.pool, bytes); });
      }
      for (std::thread& thread : threads) thread.join();
      const double nanoseconds = median(medians);
      std::printf(
          "[ figure   ] pool hit, %zu bytes, %d threads: %.1f ns, %zu calls of the device\n", bytes,
          count, nanoseconds, counted.calls());
      EXPECT_LE(counted.calls(), static_cast<std::size_t>(count));
#if defined(__OPTIMIZE__)
      if (!kIsSanitized) {
        EXPECT_LT(nanoseconds, 100);
      }
#endif
    }
  }
}

}  // namespace
}  // namespace cupola
