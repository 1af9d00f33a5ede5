// P1.4: more threads give more throughput: nothing that they share makes them wait; and P3.5.

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/sanitized.h"
#include "cupola/cupola.h"
#include "exec/evaluation/evaluator.h"
#include "exec/transfers/staging.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

using Clock = std::chrono::steady_clock;

const Device kCpu(PlatformKind::cpu, 0);
constexpr int kOperations = 3000;

// How often the calling thread has waited for something.
long waits_of_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

struct Work {
  double per_second = 0;  // operations
  long waits = 0;         // of all threads
};

// Of so many threads, each on arrays and a stream of its own.
Work work_of(int threads) {
  std::barrier start(threads);
  std::atomic<long> waits{0};
  // By the threads' own clocks: one that only watches may wake when all is done.
  std::vector<Clock::time_point> begun(static_cast<std::size_t>(threads)), ended = begun;
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < begun.size(); ++t) {
    running.emplace_back([&, t] {
      const Array a = full({1000}, Scalar(1.0F), DType::float32, kCpu);
      evaluate(a + 1.0F);
      start.arrive_and_wait();
      begun[t] = Clock::now();
      const long before = waits_of_thread();
      for (int i = 0; i < kOperations; ++i) evaluate(a + 1.0F);
      waits += waits_of_thread() - before;
      ended[t] = Clock::now();
    });
  }
  for (std::thread& thread : running) thread.join();
  const std::chrono::duration<double> seconds =
      *std::max_element(ended.begin(), ended.end()) - *std::min_element(begun.begin(), begun.end());
  return {threads * kOperations / seconds.count(), waits};
}

TEST(Throughput, GrowsWithTheThreads) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  double best = 0;
  // Other programs may have the second processor for a while.
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);
  while (best < 1.3 && Clock::now() < deadline) {
    const double alone = work_of(1).per_second;
    best = std::max(best, work_of(2).per_second / alone);
  }
  EXPECT_GE(best, 1.3) << "two threads beside one";
}

// On a busy machine, where the throughput of several threads says little, too.
TEST(Throughput, ThreadsDoNotWaitForEachOther) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer's own locks make threads wait";
  constexpr int kThreads = 4;
  long waits = 0;
  for (int i = 0; i < 20; ++i) waits += work_of(kThreads).waits;
  EXPECT_LE(waits, 30) << "in " << 20 * kThreads * kOperations << " operations";
}

// P3.5. The gate opens before the copying thread is waited for, whatever the outcome.
TEST(Throughput, QueuedCopiesDoNotWaitForTheirStream) {
  const Stream stream = Stream::create(kCpu);
  const std::vector<char> source(std::size_t{40} << 20, 's');
  std::vector<char> target(source.size(), 't');
  std::shared_ptr<void> kept;
  std::future<void> queued;
  StreamGate gate(stream);
  queued = std::async(std::launch::async, [&] {
    kept = queue_from_host(*stream.state(), target.data(), source.data(), source.size());
  });
  EXPECT_EQ(queued.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(target.front(), 't');
  gate.open();
  queued.wait();
  stream.synchronize();
  EXPECT_EQ(target, source);
}

}  // namespace
}  // namespace cupola
