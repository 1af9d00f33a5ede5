// Products, factorisations and joined launches on the fake libraries of tests/fake_cuda, in
// processes that find them where the system's would be. The suites of tests/contract run there,
// too.

#include <dlfcn.h>

#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/message_of.h"
#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "core/layout.h"
#include "cupola/error.h"
#include "driver/driver.h"
#include "platforms/cuda/fake_tests/fake_process.h"
#include "platforms/cuda/fake_tests/recorded_launch.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using ::testing::HasSubstr;

class FakeLibraries : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
  }
  static int status_of(const std::string& test) {
    return status_of_fake_process("FakeLibrariesProcess." + test);
  }
};

TEST_F(FakeLibraries, StacksOfProducts) { EXPECT_EQ(status_of("StacksOfProducts"), 0); }
TEST_F(FakeLibraries, ErrorsOfCublasHaveNames) {
  EXPECT_EQ(status_of("ErrorsOfCublasHaveNames"), 0);
}
TEST_F(FakeLibraries, ErrorsOfCusolverHaveNames) {
  EXPECT_EQ(status_of("ErrorsOfCusolverHaveNames"), 0);
}
TEST_F(FakeLibraries, TypesThatHaveNoProductsAreRefused) {
  EXPECT_EQ(status_of("TypesThatHaveNoProductsAreRefused"), 0);
}
TEST_F(FakeLibraries, CooperativeGridsAreOnTheDeviceAtOnce) {
  EXPECT_EQ(status_of("CooperativeGridsAreOnTheDeviceAtOnce"), 0);
}
TEST_F(FakeLibraries, ManyLaunchesAreJoined) { EXPECT_EQ(status_of("ManyLaunchesAreJoined"), 0); }

class FakeLibrariesProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_fake_process()) GTEST_SKIP() << "run by the tests of FakeLibraries";
    driver_ = cupola_create_driver(nullptr);
    ASSERT_NE(driver_, nullptr);
    stream_ = driver_->create_stream(0);
  }
  void TearDown() override {
    if (driver_) driver_->destroy_stream(stream_);
  }

  Driver* driver_ = nullptr;
  StreamHandle stream_{};
};

// A stack of 2 x 3 by 3 x 2 with dimensions in an order that no step walks through.
struct StackOfProducts {
  static constexpr std::int64_t kM = 2, kK = 3, kN = 2;
  Dims batch;
  std::vector<double> a, b, c;

  explicit StackOfProducts(const Dims& extents) : batch(extents) {
    const auto count = static_cast<std::size_t>(element_count(batch));
    a.resize(count * kM * kK);
    b.resize(count * kK * kN);
    c.resize(count * kM * kN, -1);
    std::iota(a.begin(), a.end(), 1.0);
    std::iota(b.begin(), b.end(), -7.0);
  }
  // Elements from one matrix to the next, the first dimension innermost.
  Dims steps(std::int64_t elements) const {
    Dims result;
    for (const std::int64_t extent : batch) {
      result.push_back(elements);
      elements *= extent;
    }
    return result;
  }
  MatmulProblem problem() {
    return {DType::float64,
            kM,
            kN,
            kK,
            a.data(),
            b.data(),
            c.data(),
            kK,
            1,
            kN,
            1,
            kN,
            batch,
            steps(kM * kK),
            steps(kK * kN),
            steps(kM * kN)};
  }
  std::vector<double> expected() const {
    std::vector<double> result(c.size(), 0);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::size_t matrix = i / (kM * kN), row = i / kN % kM, column = i % kN;
      for (std::size_t p = 0; p < kK; ++p) {
        result[i] += a[(matrix * kM + row) * kK + p] * b[(matrix * kK + p) * kN + column];
      }
    }
    return result;
  }
};

TEST_F(FakeLibrariesProcess, StacksOfProducts) {
  for (const Dims& batch : {Dims{}, Dims{5}, Dims{3, 2}, Dims{2, 3, 4}, Dims{1, 7, 1}}) {
    StackOfProducts stack(batch);
    driver_->matmul(stack.problem(), stream_);
    driver_->synchronize(stream_);
    EXPECT_EQ(stack.c, stack.expected()) << to_string(batch);
  }
}

TEST_F(FakeLibrariesProcess, ErrorsOfCublasHaveNames) {
  const auto product = [&](std::int64_t k) {
    std::vector<double> line(static_cast<std::size_t>(k)), result(1);
    driver_->matmul({DType::float64,
                     1,
                     1,
                     k,
                     line.data(),
                     line.data(),
                     result.data(),
                     k,
                     1,
                     1,
                     1,
                     1,
                     {},
                     {},
                     {},
                     {}},
                    stream_);
  };
  EXPECT_THAT(message_of<OutOfMemoryError>([&] { product(100013); }),
              HasSubstr("cublasGemmEx_64 on cuda:0: CUBLAS_STATUS_ALLOC_FAILED"));
  EXPECT_THAT(message_of<DeviceError>([&] { product(100017); }),
              HasSubstr("cublasGemmEx_64 on cuda:0: CUBLAS_STATUS_EXECUTION_FAILED"));
  product(3);
}

TEST_F(FakeLibrariesProcess, ErrorsOfCusolverHaveNames) {
  const auto factor = [&](std::int64_t rows) {
    std::vector<float> a(static_cast<std::size_t>(rows * rows));
    std::int32_t info = 0;
    FactorProblem problem{Factorisation::cholesky, DType::float32, rows, rows};
    problem.a = a.data();
    problem.info = &info;
    driver_->factor(problem, stream_);
  };
  EXPECT_THAT(message_of<OutOfMemoryError>([&] { factor(1013); }),
              HasSubstr("CUSOLVER_STATUS_ALLOC_FAILED"));
  EXPECT_THAT(message_of<DeviceError>([&] { factor(1017); }),
              HasSubstr("CUSOLVER_STATUS_INTERNAL_ERROR (7)"));
  factor(3);
}

TEST_F(FakeLibrariesProcess, TypesThatHaveNoProductsAreRefused) {
  EXPECT_THAT(
      message_of<TypeError>([&] {
        driver_->matmul(
            {DType::int32, 1, 1, 1, nullptr, nullptr, nullptr, 1, 1, 1, 1, 1, {}, {}, {}, {}},
            stream_);
      }),
      HasSubstr("does not take int32"));
  EXPECT_THAT(message_of<TypeError>([&] {
                driver_->factor({Factorisation::qr, DType::float16, 1, 1}, stream_);
              }),
              HasSubstr("do not take float16"));
}

TEST_F(FakeLibrariesProcess, CooperativeGridsAreOnTheDeviceAtOnce) {
  const auto function = driver_->build_module({.text = "a kernel"})->function("kernel");
  function->launch({.grid = {264, 1, 1}, .cooperative = true}, {}, stream_);
  EXPECT_THAT(message_of<LaunchError>([&] {
                function->launch({.grid = {265, 1, 1}, .cooperative = true}, {}, stream_);
              }),
              HasSubstr("264 blocks are the most"));
}

TEST_F(FakeLibrariesProcess, ManyLaunchesAreJoined) {
  constexpr std::size_t kLaunches = 40;
  const KernelPlan plan = plans::binary(UfuncId::add, DType::int64, plans::kContiguous, true);
  const std::shared_ptr<Kernel> kernel = driver_->build(plan, 0);
  std::vector<std::int64_t> memory(5000);
  std::vector<LaunchArguments> all;
  for (std::size_t i = 0; i < kLaunches; ++i) {
    all.push_back({{static_cast<std::int64_t>(1 + i * 100)},
                   {{memory.data(), {1}}, {memory.data(), {1}}},
                   {{memory.data(), {1}}},
                   {}});
  }
  const auto launch_all = [&] {
    for (std::size_t done = 0; done < kLaunches;) {
      const std::size_t joined =
          driver_->launch_joined(kernel, std::span(all).subspan(done), stream_);
      if (joined == 0) driver_->launch(kernel, all[done], stream_);
      done += std::max<std::size_t>(joined, 1);
    }
  };
  for (int i = 0; i < 200 && !driver_->is_loading(); ++i) launch_all();
  ASSERT_TRUE(driver_->is_loading()) << "nobody wants a kernel for joined launches";
  driver_->load_joined();
  EXPECT_FALSE(driver_->is_loading());
  void* const fake = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(fake, nullptr);
  reinterpret_cast<void (*)(std::size_t)>(dlsym(fake, "fake_cuda_watch_launches"))(0);
  launch_all();
  std::vector<fake_cuda::Launch> launches(kLaunches);
  const auto take = reinterpret_cast<std::size_t (*)(fake_cuda::Launch*, std::size_t)>(
      dlsym(fake, "fake_cuda_take_launches"));
  EXPECT_EQ(take(launches.data(), launches.size()), 3u) << "16 have room in one";
  EXPECT_GE(launches[1].grid_x, launches[0].grid_x) << "the largest decides";
}

}  // namespace
}  // namespace cupola::cuda
