// Calls of cuBLAS and cuSOLVER on the fake libraries: which there are, in which order, and what is
// given back when one fails.

#include <gmock/gmock.h>

#include <cstdint>
#include <numeric>

#include "base/counters.h"
#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Calls kProducts{"cublasGemmEx", "cublasGemmStridedBatchedEx", "cublasGemmBatchedEx",
                      "cuMemcpyHtoDAsync", "cuStreamSynchronize"};

class FakeLibraryCalls : public OnFakeCuda {
 protected:
  // A stack of products of one by one matrices, which lie in the order of `steps`.
  MatmulProblem products(const Dims& batch, const Dims& steps) {
    a_.resize(1000);
    c_.assign(1000, -1.0);
    std::iota(a_.begin(), a_.end(), 1.0);
    return {DType::float64, 1,     1,     1,    a_.data(), a_.data(), c_.data(), 1, 1, 1, 1, 1,
            batch,          steps, steps, steps};
  }
  void expect_squares(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(c_[i], static_cast<double>((i + 1) * (i + 1))) << i;
    }
    EXPECT_EQ(c_[count], -1.0);
  }
  // A stack of systems of one equation: i + 2 times the result is 1.
  FactorProblem systems(std::int64_t count) {
    const auto size = static_cast<std::size_t>(count);
    a_.resize(size);
    c_.assign(size, 1.0);
    pivots_.resize(size);
    info_.assign(size, -1);
    std::iota(a_.begin(), a_.end(), 2.0);
    FactorProblem problem{Factorisation::solve, DType::float64, 1, 1, count, count, 1};
    problem.a = a_.data();
    problem.b = c_.data();
    problem.pivots = pivots_.data();
    problem.info = info_.data();
    return problem;
  }
  FactorProblem cholesky() {
    a_.assign(1, 4.0);
    info_.assign(1, -1);
    FactorProblem problem{Factorisation::cholesky, DType::float64, 1, 1};
    problem.a = a_.data();
    problem.info = info_.data();
    return problem;
  }

  std::vector<double> a_, c_;
  std::vector<std::int64_t> pivots_;
  std::vector<std::int32_t> info_;
};

TEST_F(FakeLibraryCalls, AStackThatOneStepWalksThroughIsOneCall) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    fake_.watch_calls();
    driver_->matmul(products({3, 1, 4}, {4, 77, 1}), stream);
    EXPECT_THAT(fake_.take_calls(kProducts), ElementsAre("cublasGemmStridedBatchedEx"));
    expect_squares(12);
    driver_->matmul(products({2, 3}, {1, 2}), stream);
    EXPECT_THAT(fake_.take_calls(kProducts),
                ElementsAre("cublasGemmStridedBatchedEx", "cublasGemmStridedBatchedEx"));
    expect_squares(6);
    driver_->matmul(products({1, 1}, {5, 5}), stream);
    EXPECT_THAT(fake_.take_calls(kProducts), ElementsAre("cublasGemmEx"));
    expect_squares(1);
    driver_->matmul(products({5, 3, 2}, {1, 5, 15}), stream);
    EXPECT_THAT(fake_.take_calls(kProducts),
                ElementsAre("cuMemcpyHtoDAsync", "cublasGemmBatchedEx"));
    expect_squares(30);
  });
}

TEST_F(FakeLibraryCalls, ListsAreThereBeforeTheyAreGone) {
  on_fake_cuda([this] {
    // The device may read the host's memory after the copy has returned.
    fake_.set_attribute(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 1);
    const FakeStream stream(driver_);
    fake_.watch_calls();
    driver_->matmul(products({5, 3, 2}, {1, 5, 15}), stream);
    EXPECT_THAT(fake_.take_calls(kProducts),
                ElementsAre("cuMemcpyHtoDAsync", "cuStreamSynchronize", "cublasGemmBatchedEx"));
    expect_squares(30);
    driver_->factor(systems(100), stream);
    EXPECT_THAT(fake_.take_calls({"cuMemcpyHtoDAsync", "cuStreamSynchronize", "cublas_getrfBatched",
                                  "cublas_getrsBatched"}),
                ElementsAre("cuMemcpyHtoDAsync", "cuStreamSynchronize", "cublas_getrfBatched",
                            "cublas_getrsBatched"));
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(c_[i], 1 / static_cast<double>(i + 2));
    EXPECT_EQ(info_, std::vector<std::int32_t>(100, 0));
  });
}

TEST_F(FakeLibraryCalls, AProductThatFailsGivesEverythingBack) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const MatmulProblem problem = products({}, {});
    driver_->matmul(problem, stream);
    const std::size_t used = fake_.used();
    const std::uint64_t handles = value_of(Counter::library_handles);
    EXPECT_EQ(handles, 1u);
    for (const char* call : {"cublasSetStream", "cublasSetWorkspace", "cublasGemmEx"}) {
      for (int i = 0; i < 10; ++i) {  // more often than there are handles
        fake_.fail_call(call, 13);
        EXPECT_THAT(message_of<DeviceError>([&] { driver_->matmul(problem, stream); }),
                    HasSubstr("on cuda:0: CUBLAS_STATUS_EXECUTION_FAILED"))
            << call;
      }
      EXPECT_EQ(fake_.used(), used) << call;
    }
    fake_.fail_call("cuMemAllocFromPoolAsync", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THROW(driver_->matmul(problem, stream), OutOfMemoryError);
    driver_->matmul(problem, stream);
    EXPECT_EQ(value_of(Counter::library_handles), handles);
    EXPECT_EQ(fake_.used(), used);
  });
}

TEST_F(FakeLibraryCalls, HandlesThatAreNotMadeAreTriedAgain) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    for (int i = 0; i < 10; ++i) {  // more often than there may be handles
      fake_.fail_call("cublasCreate", 3);
      EXPECT_THAT(message_of<OutOfMemoryError>([&] { driver_->matmul(products({}, {}), stream); }),
                  HasSubstr("cublasCreate_v2 on cuda:0: CUBLAS_STATUS_ALLOC_FAILED"));
      fake_.fail_call("cusolverDnCreate", 1);
      EXPECT_THAT(message_of<DeviceError>([&] { driver_->factor(cholesky(), stream); }),
                  HasSubstr("cusolverDnCreate on cuda:0: CUSOLVER_STATUS_NOT_INITIALIZED (1)"));
    }
    EXPECT_EQ(value_of(Counter::library_handles), 0u);
    driver_->matmul(products({}, {}), stream);
    driver_->factor(cholesky(), stream);
    EXPECT_EQ(value_of(Counter::library_handles), 2u);
    EXPECT_EQ(a_[0], 2.0);
  });
}

TEST_F(FakeLibraryCalls, ErrorsOfCusolverHaveTheirNames) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    driver_->factor(cholesky(), stream);
    const std::size_t used = fake_.used();
    const auto message = [&](const char* call, int status) {
      fake_.fail_call(call, status);
      return message_of<DeviceError>([&] { driver_->factor(cholesky(), stream); });
    };
    EXPECT_THAT(message("cusolverDnSetStream", 1),
                HasSubstr("cusolverDnSetStream on cuda:0: CUSOLVER_STATUS_NOT_INITIALIZED (1)"));
    const char* const call = "cusolverDnXpotrf";
    EXPECT_THAT(message(call, 3), HasSubstr("CUSOLVER_STATUS_INVALID_VALUE (3)"));
    EXPECT_THAT(message(call, 4), HasSubstr("CUSOLVER_STATUS_ARCH_MISMATCH (4)"));
    EXPECT_THAT(message(call, 6), HasSubstr("CUSOLVER_STATUS_EXECUTION_FAILED (6)"));
    EXPECT_THAT(message(call, 999), HasSubstr("on cuda:0: an error (999)"));
    EXPECT_EQ(fake_.used(), used);
    driver_->factor(cholesky(), stream);
    EXPECT_EQ(a_[0], 2.0);
    EXPECT_EQ(value_of(Counter::library_handles), 1u);
  });
}

TEST_F(FakeLibraryCalls, MoreRowsThanCusolverCountsAreRefused) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    FactorProblem problem = cholesky();
    problem.kind = Factorisation::q;
    problem.rows = std::int64_t{1} << 31;
    problem.extent = 1;
    problem.values = problem.a;
    fake_.watch_calls();
    EXPECT_EQ(message_of<ValueError>([&] { driver_->factor(problem, stream); }),
              "cuSOLVER has no numbers for so many rows of Q");
    EXPECT_THAT(fake_.take_calls({"cusolverDnCreate", "cuMemAllocFromPoolAsync"}), IsEmpty());
  });
}

}  // namespace
}  // namespace cupola::cuda
