#include "exec/launch/kernel_cache.h"

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "driver/registry.h"
#include "driver/testing/launch_builder.h"

namespace {
thread_local long allocations = 0;
}  // namespace

// Sanitizers have operators of their own.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kAreCounted = false;
#else
constexpr bool kAreCounted = true;
// Counted; otherwise as the library's.
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace cupola {
namespace {

// A plan that nothing else uses.
KernelPlan rare_plan(int length) {
  testing::LaunchBuilder builder({5});
  int value = builder.load(DType::int16, nullptr);
  for (int i = 0; i < length; ++i) value = builder.ufunc(UfuncId::bitwise_xor, {value, value});
  builder.store(value, nullptr);
  return builder.plan;
}

TEST(KernelCache, BuildsOnceForAllThreads) {
  constexpr int kThreads = 16;
  Driver& cpu = driver(PlatformKind::cpu);
  for (int length = 40; length < 60; ++length) {
    const KernelPlan plan = rare_plan(length);
    std::vector<std::shared_ptr<Kernel>> kernels(kThreads);
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        kernels[static_cast<std::size_t>(t)] = find_kernel(cpu, 0, plan);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& kernel : kernels) ASSERT_EQ(kernel, kernels.front());
  }
}

TEST(KernelCache, AHitAllocatesNothing) {
  if (!kAreCounted) GTEST_SKIP() << "allocations are not counted under a sanitizer";
  Driver& cpu = driver(PlatformKind::cpu);
  const KernelPlan plan = rare_plan(60);
  long before = allocations;
  const std::shared_ptr<Kernel> built = find_kernel(cpu, 0, plan);
  EXPECT_GT(allocations, before);
  before = allocations;
  EXPECT_EQ(find_kernel(cpu, 0, plan), built);
  EXPECT_EQ(allocations, before);
}

TEST(KernelCache, PlansThatDifferLittleHaveKernelsOfTheirOwn) {
  Driver& cpu = driver(PlatformKind::cpu);
  const KernelPlan plan = rare_plan(61);
  std::vector<KernelPlan> plans(4, plan);
  plans[1].steps.back().args = {0, 1, -1};
  plans[2].inputs[0].aligned16 = !plan.inputs[0].aligned16;
  plans[3].outputs[0].operand.aligned16 = !plan.outputs[0].operand.aligned16;
  std::set<std::shared_ptr<Kernel>> kernels;
  for (const KernelPlan& each : plans) kernels.insert(find_kernel(cpu, 0, each));
  EXPECT_EQ(kernels.size(), plans.size());
}

}  // namespace
}  // namespace cupola
