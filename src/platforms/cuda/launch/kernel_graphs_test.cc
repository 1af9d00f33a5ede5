// Launches that repeat, on a GPU: see kernel_graphs.h.

#include <array>
#include <thread>

#include "base/counters.h"
#include "platforms/cuda/gpu_tests/cuda_test_support.h"

namespace cupola::cuda {
namespace {

class GpuKernelGraphs : public GpuTest {
 protected:
  static constexpr int kLaunches = 300;
  static constexpr std::int64_t kRoom = 4096;

  // result number i = i + number of the kernel, for as many elements as i says.
  struct Sums {
    std::vector<std::int64_t> ones;
    std::int64_t* left;
    std::int64_t* right;
    std::int64_t* results;
  };
  static std::int64_t size_of(int launch) { return 1 + launch * 13 % kRoom; }

  Sums make_sums() {
    Sums sums;
    sums.ones.assign(kRoom, 1);
    std::vector<std::int64_t> left;
    for (int i = 0; i < kLaunches; ++i) left.insert(left.end(), kRoom, i);
    sums.left = static_cast<std::int64_t*>(upload(left));
    sums.right = static_cast<std::int64_t*>(upload(sums.ones));
    sums.results = static_cast<std::int64_t*>(poisoned(left.size() * sizeof(std::int64_t)));
    gpu()->synchronize(stream_);  // other streams use it, too
    return sums;
  }
  static constexpr std::array kKernels{UfuncId::add, UfuncId::subtract, UfuncId::multiply};
  static std::int64_t expected(int launch) {
    const std::array<std::int64_t, 3> results{launch + 1, launch - 1, launch};
    return results[static_cast<std::size_t>(launch) % kKernels.size()];
  }
  static void put(const Sums& sums, int launch, StreamHandle stream) {
    const UfuncId kernel = kKernels[static_cast<std::size_t>(launch) % kKernels.size()];
    const KernelPlan plan = plans::binary(kernel, DType::int64, plans::kContiguous, false);
    const std::int64_t offset = launch * kRoom;
    gpu()->launch(built(plan),
                  {{size_of(launch)},
                   {{sums.left + offset, {1}}, {sums.right, {1}}},
                   {{sums.results + offset, {1}}},
                   {}},
                  stream);
  }
  void check(const Sums& sums) {
    const auto results = download<std::int64_t>(sums.results, kLaunches * kRoom);
    for (int i = 0; i < kLaunches; ++i) {
      const auto first = results.begin() + i * kRoom;
      EXPECT_EQ(std::count(first, first + size_of(i), expected(i)), size_of(i)) << i;
      EXPECT_EQ(first[size_of(i)] == expected(i), false) << i << " wrote too far";
    }
  }
};

TEST_F(GpuKernelGraphs, EachLaunchHasItsOwnArguments) {
  const std::uint64_t before = value_of(Counter::kernel_graphs);
  const Sums sums = make_sums();
  for (int i = 0; i < kLaunches; ++i) put(sums, i, stream_);
  check(sums);
  const std::uint64_t made = value_of(Counter::kernel_graphs) - before;
  EXPECT_GE(made, 1);
  EXPECT_LE(made, kKernels.size());
}

TEST_F(GpuKernelGraphs, StreamsShareNone) {
  const Sums first = make_sums(), second = make_sums();
  StreamHandle other = gpu()->create_stream(0);
  for (int i = 0; i < kLaunches; ++i) {
    put(first, i, stream_);
    put(second, i, other);
  }
  gpu()->synchronize(other);
  gpu()->destroy_stream(other);
  check(first);
  check(second);
}

TEST_F(GpuKernelGraphs, ThreadsShareThoseOfAStream) {
  const Sums sums = make_sums();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < kLaunches; i += 4) put(sums, i, stream_);
    });
  }
  for (std::thread& thread : threads) thread.join();
  check(sums);
}

}  // namespace
}  // namespace cupola::cuda
