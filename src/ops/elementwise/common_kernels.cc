#include "ops/elementwise/common_kernels.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>

#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/reduce.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/kernel_cache.h"

namespace cupola {
namespace {

constexpr DType kNumbers[] = {DType::int32, DType::int64, DType::float32, DType::float64};
constexpr DType kCasts[] = {DType::bool_,   DType::uint8,   DType::int32,  DType::int64,
                            DType::float16, DType::float32, DType::float64};
constexpr UfuncId kArithmetic[] = {UfuncId::add, UfuncId::subtract, UfuncId::multiply,
                                   UfuncId::divide};
constexpr UfuncId kComparisons[] = {UfuncId::equal,   UfuncId::not_equal,
                                    UfuncId::less,    UfuncId::less_equal,
                                    UfuncId::greater, UfuncId::greater_equal};
const Dims kShape{16, 64};

const Device kDevice(PlatformKind::cpu, 0);

Array filled(std::int64_t value, DType dtype, const Dims& shape = kShape) {
  return full(shape, Scalar::weak(value), dtype, kDevice);
}

void perform(const Array& result) { evaluate({&result, 1}); }

void perform(UfuncId ufunc, const Operand& a, const Operand& b) {
  const Operand operands[] = {a, b};
  for (const Array& result : call_ufunc(ufunc, operands)) perform(result);
}

void use_ufuncs(const Array& a, const Array& b) {
  for (const UfuncId ufunc : kArithmetic) {
    perform(ufunc, a, b);
    perform(ufunc, a, a);
    perform(ufunc, a, 3);
    perform(ufunc, 3, a);
  }
  for (const UfuncId ufunc : kComparisons) {
    perform(ufunc, a, b);
    perform(ufunc, a, 3);
  }
  perform(negative(a));
}

void use_sums(const Array& a) {
  perform(sum(a));
  perform(sum(a, {.axes = Dims{0}}));
  perform(sum(a, {.axes = Dims{1}}));
  perform(mean(a));
}

void use_all() {
  for (const DType dtype : kNumbers) {
    const Array a = filled(5, dtype);
    const Array b = filled(7, dtype);
    const Scalar zero = Scalar::weak(std::int64_t{0}), end = Scalar::weak(std::int64_t{9});
    perform(arange(zero, end, Scalar::weak(std::int64_t{1}), dtype, kDevice));
    use_ufuncs(a, b);
    use_sums(a);
  }
  for (const DType from : kCasts) {
    const Array a = filled(1, from);
    perform(copy(a));
    perform(copy(filled(1, from, Dims{})));  // as the host reads one element
    for (const DType to : kCasts) perform(astype(a, to));
  }
  use_sums(filled(1, DType::bool_));
}

// Calls `work` with 0 .. count-1 on as many threads as there are processors; throws what the first
// call threw that failed.
template <typename Work>
void in_parallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  Mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

std::vector<KernelPlan> common_plans() {
  std::vector<KernelPlan> plans;
  std::exception_ptr failure;
  // A thread of its own, which has not launched any of them before: what a thread knows already it
  // does not plan again.
  std::thread([&] {
    try {
      const PlanRecorder recorder(plans);
      use_all();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  std::vector<KernelPlan> unique;
  for (KernelPlan& plan : plans) {
    if (std::find(unique.begin(), unique.end(), plan) == unique.end()) {
      unique.push_back(std::move(plan));
    }
  }
  return unique;
}

std::vector<CompiledKernel> compile_common_kernels(int architecture) {
  SourceCompiler* const compiler = find_source_compiler();
  if (compiler == nullptr) throw LibraryError("this build of cupola has no CUDA plugin");
  const std::vector<KernelPlan> plans = common_plans();
  std::vector<std::vector<CompiledKernel>> compiled(plans.size());
  in_parallel(plans.size(), [&](std::size_t i) {
    compiled[i] = compiler->compile_kernels(plans[i], architecture);
  });
  std::vector<CompiledKernel> all = compiler->compile_own_kernels(architecture);
  for (auto& each : compiled) std::move(each.begin(), each.end(), std::back_inserter(all));
  return all;
}

}  // namespace cupola
