// Launches of one kernel that go out as one, on a GPU.

#include <algorithm>
#include <array>

#include "platforms/cuda/gpu_tests/cuda_test_support.h"

namespace cupola::cuda {
namespace {

constexpr std::int64_t kRoom = 5000;
constexpr std::size_t kLaunches = 40;

class GpuJoinedLaunches : public GpuTest {
 protected:
  // As evaluations do: what cannot be joined goes by itself. Returns the launches of the platform.
  std::size_t launch_all(const std::shared_ptr<Kernel>& kernel,
                         std::span<const LaunchArguments> all) {
    std::size_t count = 0;
    for (std::size_t done = 0; done < all.size(); ++count) {
      const std::size_t joined = gpu()->launch_joined(kernel, all.subspan(done), stream_);
      if (joined == 0) gpu()->launch(kernel, all[done], stream_);
      done += std::max<std::size_t>(joined, 1);
    }
    return count;
  }
  // The launches that are made where the kernel for joined ones is there.
  std::size_t launches_when_loaded(const std::shared_ptr<Kernel>& kernel,
                                   std::span<const LaunchArguments> all) {
    for (int i = 0; i < 200 && !gpu()->is_loading(); ++i) launch_all(kernel, all);
    EXPECT_TRUE(gpu()->is_loading()) << "nobody wants a kernel for joined launches";
    gpu()->load_joined();
    EXPECT_FALSE(gpu()->is_loading());
    return launch_all(kernel, all);
  }
};

TEST_F(GpuJoinedLaunches, EachHasItsOwnArgumentsAndSize) {
  const KernelPlan plan = plans::binary(UfuncId::add, DType::int64, plans::kContiguous, true);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < kLaunches; ++i) {
    values.insert(values.end(), kRoom, static_cast<std::int64_t>(i));
  }
  auto* const left = static_cast<std::int64_t*>(upload(values));
  auto* const right = static_cast<std::int64_t*>(upload(std::vector<std::int64_t>(kRoom, 100)));
  auto* const results = static_cast<std::int64_t*>(poisoned(values.size() * sizeof(std::int64_t)));
  const auto size_of = [](std::size_t i) { return static_cast<std::int64_t>(1 + i * 113 % 4500); };
  std::vector<LaunchArguments> all;
  for (std::size_t i = 0; i < kLaunches; ++i) {
    const std::int64_t offset = static_cast<std::int64_t>(i) * kRoom;
    all.push_back(
        {{size_of(i)}, {{left + offset, {1}}, {right, {1}}}, {{results + offset, {1}}}, {}});
  }
  EXPECT_EQ(launches_when_loaded(built(plan), all), 3) << "16 have room in one";
  const auto found = download<std::int64_t>(results, values.size());
  for (std::size_t i = 0; i < kLaunches; ++i) {
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(i) * kRoom;
    const std::int64_t expected = static_cast<std::int64_t>(i) + 100;
    EXPECT_EQ(std::count(first, first + size_of(i), expected), size_of(i)) << i;
    EXPECT_NE(first[size_of(i)], expected) << i << " wrote too far";
  }
}

TEST_F(GpuJoinedLaunches, ReductionsAreJoinedWhereTheirGridsAreAlike) {
  const KernelPlan plan =
      plans::reduce(PlanKind::reduce, UfuncId::add, DType::int64, DType::int64, DType::int64,
                    plans::kContiguous, true, 1, 1, plans::kBroadcast);
  const std::vector<std::int64_t> ones(kRoom, 1);
  auto* const input = static_cast<std::int64_t*>(upload(ones));
  auto* const results = static_cast<std::int64_t*>(poisoned(kLaunches * sizeof(std::int64_t)));
  std::vector<LaunchArguments> all;
  for (std::size_t i = 0; i < kLaunches; ++i) {
    all.push_back({{static_cast<std::int64_t>(900 + i)}, {{input, {1}}}, {{results + i, {1}}}, {}});
  }
  EXPECT_LE(launches_when_loaded(built(plan), all), 3);
  const auto found = download<std::int64_t>(results, kLaunches);
  for (std::size_t i = 0; i < kLaunches; ++i) EXPECT_EQ(found[i], 900 + i);
}

}  // namespace
}  // namespace cupola::cuda
