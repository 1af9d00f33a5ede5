#include "exec/kernel_cache.h"

#include <barrier>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "driver/registry.h"
#include "driver/testing/plan_builder.h"

namespace cupola {
namespace {

// A plan that nothing else uses.
KernelPlan rare_plan(int length) {
  testing::PlanBuilder builder({5});
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

}  // namespace
}  // namespace cupola
