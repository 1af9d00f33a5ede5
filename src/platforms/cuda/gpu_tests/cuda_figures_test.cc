// Speed on a GPU beside what the device can do, in one run. Figures are printed; the checks allow
// for a machine that others use as well.

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/gpu_tests/cuda_test_support.h"
#include "platforms/cuda/libraries/cublas_api.h"

namespace cupola::cuda {
namespace {

using plans::kContiguous;
using plans::kStrided;

constexpr std::int64_t kCount = std::int64_t{1} << 28;
constexpr std::size_t kBytes = std::size_t{kCount} * 4;

class GpuFigures : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!stream_) return;
    if (gpu()->memory_info(0).free < 6 * kBytes) GTEST_SKIP() << "too little free memory";
    if (!std::getenv("CUPOLA_GPU_FIGURES")) GTEST_SKIP() << "CUPOLA_GPU_FIGURES is not set";
  }

  // Median seconds of one of `repeats` calls that are queued together.
  template <class Work>
  double seconds(Work work, int repeats = 10) {
    work();
    gpu()->synchronize(stream_);
    std::vector<double> times;
    for (int run = 0; run < 7; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < repeats; ++i) work();
      gpu()->synchronize(stream_);
      times.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
          repeats);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
  double report(const char* name, double bytes, double time) {
    const double rate = bytes / time / 1e9;
    std::printf("[ figure   ] %-34s %9.1f us %8.1f GB/s  %.3f of copy\n", name, time * 1e6, rate,
                copy_rate_ > 0 ? rate / copy_rate_ : 1.0);
    std::fflush(stdout);
    return rate;
  }
  void measure_copy() {
    const double time = seconds([&] { gpu()->copy(c_, 0, a_, 0, kBytes, stream_); });
    copy_rate_ = report("device to device copy", 2.0 * kBytes, time);
  }
  void fill() {
    const auto values = random_numbers<float>(1 << 20, 1);
    for (void** data : {&a_, &b_, &c_}) {
      *data = poisoned(kBytes);
      for (std::size_t at = 0; at < kBytes; at += values.size() * 4) {
        gpu()->copy_from_host(static_cast<char*>(*data) + at, values.data(), values.size() * 4,
                              stream_);
      }
    }
  }
  double time_of(const KernelPlan& plan, const LaunchArguments& arguments) {
    const auto kernel = built(plan);
    return seconds([&] { gpu()->launch(kernel, arguments, stream_); });
  }

  void* a_ = nullptr;
  void* b_ = nullptr;
  void* c_ = nullptr;
  double copy_rate_ = 0;
};

TEST_F(GpuFigures, MemoryBound) {
  fill();
  measure_copy();
  const auto f32 = DType::float32;
  const auto add = UfuncId::add;
  const std::int64_t n = 16384;
  const double sum_rate = report("sum of all", kBytes,
                                 time_of(plans::reduce(PlanKind::reduce, add, f32, f32, f32,
                                                       kContiguous, true, 1, 1, kStrided),
                                         {{kCount}, {{a_, {1}}}, {{c_, {0}}}, {}}));
  const double add_rate = report("a + b", 3.0 * kBytes,
                                 time_of(plans::binary(add, f32, kContiguous, true),
                                         {{kCount}, {{a_, {1}}, {b_, {1}}}, {{c_, {1}}}, {}}));
  report("a[1:] + b[1:]", 3.0 * kBytes,
         time_of(plans::binary(add, f32, kContiguous, false),
                 {{kCount - 1},
                  {{static_cast<char*>(a_) + 4, {1}}, {static_cast<char*>(b_) + 4, {1}}},
                  {{static_cast<char*>(c_) + 4, {1}}},
                  {}}));
  report("a + row (strided)", 3.0 * kBytes,
         time_of(plans::binary(add, f32, kStrided, false, 2),
                 {{n, n}, {{a_, {n, 1}}, {b_, {n, 1}}}, {{c_, {n, 1}}}, {}}));
  report("sum axis 1, 16k x 16k", kBytes,
         time_of(
             plans::reduce(PlanKind::reduce, add, f32, f32, f32, kContiguous, true, 2, 1, kStrided),
             {{n, n}, {{a_, {n, 1}}}, {{c_, {1, 0}}}, {}}));
  report(
      "sum axis 0, 16k x 16k", kBytes,
      time_of(plans::reduce(PlanKind::reduce, add, f32, f32, f32, kStrided, false, 2, 1, kStrided),
              {{n, n}, {{a_, {1, n}}}, {{c_, {1, 0}}}, {}}));
  report("sum of rows of 64", kBytes,
         time_of(
             plans::reduce(PlanKind::reduce, add, f32, f32, f32, kContiguous, true, 2, 1, kStrided),
             {{kCount / 64, 64}, {{a_, {64, 1}}}, {{c_, {1, 0}}}, {}}));
  report("argmax", kBytes,
         time_of(plans::reduce(PlanKind::arg_reduce, UfuncId::maximum, f32, f32, DType::int64,
                               kContiguous, true, 1, 1, kStrided),
                 {{kCount}, {{a_, {1}}}, {{c_, {0}}}, {}}));
  report("cumsum", 2.0 * kBytes,
         time_of(plans::reduce(PlanKind::scan, add, f32, f32, f32, kContiguous, true, 1, 1,
                               kContiguous),
                 {{kCount}, {{a_, {1}}}, {{c_, {1}}}, {}}));
  report("transposed copy a.T + b", 3.0 * kBytes,
         time_of(plans::binary(add, f32, kStrided, false, 2),
                 {{n, n}, {{a_, {1, n}}, {b_, {n, 1}}}, {{c_, {n, 1}}}, {}}));
  EXPECT_GE(sum_rate, 0.9 * copy_rate_);
  EXPECT_GE(add_rate, 0.9 * copy_rate_);
}

TEST_F(GpuFigures, Latency) {
  void* a = upload(std::vector<float>(1024, 1));
  void* c = poisoned(4096);
  const auto kernel = built(plans::binary(UfuncId::add, DType::float32, kContiguous, true));
  const LaunchArguments arguments{{1024}, {{a, {1}}, {a, {1}}}, {{c, {1}}}, {}};
  const double launch = seconds([&] { gpu()->launch(kernel, arguments, stream_); }, 1000);
  std::printf("[ figure   ] launch of a + b, 1,024 elements: %.2f us\n", launch * 1e6);
  const double copy = seconds([&] { gpu()->copy_from_host(a, &launch, 8, stream_); }, 1000);
  std::printf("[ figure   ] copy of 8 bytes to the device: %.2f us\n", copy * 1e6);
}

TEST_F(GpuFigures, MatmulBesideCublas) {
  fill();
  const std::int64_t n = 8192;
  MatmulProblem p{};
  p.dtype = DType::float32;
  p.m = p.n = p.k = n;
  p.a = a_;
  p.b = b_;
  p.c = c_;
  p.a_row = p.b_row = p.c_row = n;
  p.a_column = p.b_column = 1;
  const double ours = seconds([&] { gpu()->matmul(p, stream_); }, 3);
  const DeviceContext& context = device_context(0);
  const ContextGuard guard(context);
  cublasHandle_t handle = nullptr;
  CUPOLA_CUBLAS(0, cublasCreate_v2, &handle);
  CUPOLA_CUBLAS(0, cublasSetStream_v2, handle, from_handle(stream_).handle);
  const float one = 1, zero = 0;
  const double direct = seconds(
      [&] {
        CUPOLA_CUBLAS(0, cublasGemmEx_64, handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b_,
                      CUDA_R_32F, n, a_, CUDA_R_32F, n, &zero, c_, CUDA_R_32F, n,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
      },
      3);
  const double operations = 2.0 * 8192 * 8192 * 8192;
  std::printf("[ figure   ] matmul 8192 float32: %.1f TFLOP/s, cuBLAS itself %.1f\n",
              operations / ours / 1e12, operations / direct / 1e12);
  EXPECT_LE(ours, direct * 1.05);
}

}  // namespace
}  // namespace cupola::cuda
