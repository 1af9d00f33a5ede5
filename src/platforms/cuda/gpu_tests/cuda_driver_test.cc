// Memory, streams, events, copies, matrix products and errors on a GPU.

#include <atomic>
#include <cmath>
#include <complex>
#include <thread>

#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/gpu_tests/cuda_test_support.h"
#include "platforms/cuda/launch/cuda_kernel.h"

namespace cupola::cuda {
namespace {

class GpuDriver : public GpuTest {};

TEST_F(GpuDriver, DescribesItsDevices) {
  EXPECT_GE(gpu()->device_count(), 1);
  const DeviceProperties properties = gpu()->properties(0);
  EXPECT_FALSE(properties.name.empty());
  EXPECT_EQ(properties.uuid.substr(0, 4), "GPU-");
  EXPECT_GE(properties.compute_major, 7);
  EXPECT_GE(properties.multiprocessors, 10);
  const MemoryInfo memory = gpu()->memory_info(0);
  EXPECT_GT(memory.free, 0U);
  EXPECT_GE(memory.total, memory.free);
  EXPECT_THROW(gpu()->properties(99), DeviceError);
  EXPECT_THROW(gpu()->create_stream(-1), DeviceError);
}

TEST_F(GpuDriver, RefusesWhatDoesNotFit) {
  try {
    gpu()->allocate(0, std::size_t{1} << 50, MemoryKind::device);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("cuda:0"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1125899906842624"), std::string::npos);
  }
}

TEST_F(GpuDriver, CopiesOfEveryKind) {
  for (const std::size_t count : {1U, 1000U, 100000U, 5000000U}) {
    const auto values = random_numbers<float>(count, 1);
    void* data = upload(values);
    const Memory other(count * 4);
    gpu()->copy(other.data(), 0, data, 0, count * 4, stream_);
    EXPECT_EQ(download<float>(other.data(), count), values);
    void* pinned = gpu()->allocate(0, count * 4, MemoryKind::pinned);
    gpu()->copy_to_host(pinned, other.data(), count * 4, stream_);
    EXPECT_EQ(std::memcmp(pinned, values.data(), count * 4), 0);
    gpu()->copy_from_host(data, pinned, count * 4, stream_);
    std::memset(pinned, 0, count * 4);  // the copy has the value from before
    EXPECT_EQ(download<float>(data, count), values);
    gpu()->deallocate(0, pinned, count * 4, MemoryKind::pinned);
    gpu()->fill_bytes(data, 0x5A, count * 4, stream_);
    EXPECT_EQ(download<unsigned char>(data, count * 4),
              std::vector<unsigned char>(count * 4, 0x5A));
    release();
  }
}

TEST_F(GpuDriver, EventsOrderStreams) {
  const StreamHandle second = gpu()->create_stream(0);
  const EventHandle event = gpu()->create_event(0);
  std::atomic<bool> open{false};
  std::atomic<int> step{0};
  gpu()->run_on_host(
      [&] {
        while (!open) std::this_thread::yield();
        step = 1;
      },
      stream_);
  gpu()->record(event, stream_);
  gpu()->wait(second, event);
  std::atomic<int> seen{-1};
  gpu()->run_on_host([&] { seen = step.load(); }, second);
  EXPECT_FALSE(gpu()->is_complete(event));
  EXPECT_FALSE(gpu()->is_idle(second));
  open = true;
  gpu()->synchronize(second);
  EXPECT_EQ(seen, 1);
  gpu()->synchronize(event);
  EXPECT_TRUE(gpu()->is_complete(event));
  EXPECT_TRUE(gpu()->is_idle(stream_));
  gpu()->destroy_event(event);
  gpu()->destroy_stream(second);
}

TEST_F(GpuDriver, ABadTextIsShownWithNumbers) {
  CudaCode code = cuda_code(plans::binary(UfuncId::add, DType::float32, plans::kContiguous, true));
  code.text = "first line\nsecond line\n";
  try {
    cuda::CudaKernel(code).compile_ahead(gpu()->kernel_architecture(0));
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("    2 | second line"), std::string::npos);
  }
}

class GpuMatmul : public GpuTest {
 protected:
  // A batch of products against plain loops; `transposed` operands are stored by columns.
  template <class T>
  void check(std::int64_t m, std::int64_t n, std::int64_t k, bool a_transposed, bool b_transposed,
             const Dims& batch = {}, const Dims& a_steps = {}, const Dims& b_steps = {}) {
    std::int64_t stack = 1;
    for (const auto extent : batch) stack *= extent;
    const auto a = small_numbers<T>(static_cast<std::size_t>(m * k * stack), 1);
    const auto b = small_numbers<T>(static_cast<std::size_t>(k * n * stack), 2);
    std::vector<T> expected(static_cast<std::size_t>(m * n * stack));
    MatmulProblem p{};
    p.dtype = dtype_of<T>;
    p.m = m;
    p.n = n;
    p.k = k;
    p.a = upload(a);
    p.b = upload(b);
    void* c = poisoned(expected.size() * sizeof(T));
    p.c = c;
    p.a_row = a_transposed ? 1 : k;
    p.a_column = a_transposed ? m : 1;
    p.b_row = b_transposed ? 1 : n;
    p.b_column = b_transposed ? k : 1;
    p.c_row = n;
    p.batch = batch;
    for (std::size_t d = 0; d < batch.size(); ++d) {
      p.a_batch.push_back(a_steps[d] * m * k);
      p.b_batch.push_back(b_steps[d] * k * n);
      p.c_batch.push_back(strides_of(batch)[d] * m * n);
    }
    for (std::int64_t s = 0; s < stack; ++s) {
      std::int64_t a_at = 0, b_at = 0, rest = s;
      for (std::size_t d = batch.size(); d-- > 0; rest /= batch[d]) {
        a_at += rest % batch[d] * p.a_batch[d];
        b_at += rest % batch[d] * p.b_batch[d];
      }
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::int64_t l = 0; l < k; ++l) {
            sum += value(a[static_cast<std::size_t>(a_at + i * p.a_row + l * p.a_column)]) *
                   value(b[static_cast<std::size_t>(b_at + l * p.b_row + j * p.b_column)]);
          }
          expected[static_cast<std::size_t>((s * m + i) * n + j)] = T(static_cast<float>(sum));
        }
      }
    }
    gpu()->matmul(p, stream_);
    const auto result = download<T>(c, expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(value(result[i]), value(expected[i])) << m << "x" << n << "x" << k << " at " << i;
    }
    release();
  }
  static double value(Float16 x) { return static_cast<double>(static_cast<float>(x)); }
  static double value(BFloat16 x) { return static_cast<double>(static_cast<float>(x)); }
  static double value(double x) { return x; }
  static double value(std::complex<float> x) { return static_cast<double>(x.real()); }
  static double value(std::complex<double> x) { return x.real(); }

  template <class T>
  void check_all() {
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) check<T>(17, 9, 33, a, b);
    }
  }
};

TEST_F(GpuMatmul, EveryTypeAndOrder) {
  check_all<float>();
  check_all<double>();
  check_all<Float16>();
  check_all<BFloat16>();
  check_all<std::complex<float>>();
  check_all<std::complex<double>>();
}

TEST_F(GpuMatmul, VectorsAndNothing) {
  check<float>(1, 7, 5, false, false);
  check<float>(7, 1, 5, false, false);
  check<float>(1, 1, 100, false, false);
  check<float>(5, 6, 1, false, false);
  check<float>(5, 6, 1, true, true);
  check<float>(5, 6, 0, false, false);
  check<float>(0, 6, 3, false, false);
  check<float>(1, 6, 3, true, true);
}

TEST_F(GpuMatmul, Stacks) {
  check<float>(5, 6, 7, false, true, {10}, {1}, {1});
  check<double>(5, 6, 7, true, false, {10}, {0}, {1});
  check<float>(3, 4, 5, false, false, {2, 3}, {3, 1}, {0, 1});
  check<float>(3, 4, 5, false, false, {7, 3}, {3, 1}, {0, 1});
  check<std::complex<float>>(3, 4, 5, false, false, {7, 3, 2}, {1, 0, 7}, {0, 2, 1});
}

}  // namespace
}  // namespace cupola::cuda
