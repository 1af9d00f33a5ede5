// Users' kernels by the C++ interface, on CPU devices and on CUDA where there is a GPU.

#include <gtest/gtest.h>

#include "cupola/cupola.h"

namespace cupola {
namespace {

class UserKernels : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "no device of that platform";
    set_current_device(Device(GetParam(), 0));
    try {
      ElementwiseKernel({.in_params = "", .out_params = "int32 y", .operation = "y = 1"})(
          {}, {.size = 1});
    } catch (const LibraryError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

Array filled(std::int64_t count, float value) {
  return full({count}, Scalar(value), DType::float32);
}

TEST_P(UserKernels, ComputeElements) {
  const ElementwiseKernel squared({.in_params = "T x, T y",
                                   .out_params = "T z",
                                   .operation = "z = (x - y) * (x - y)",
                                   .name = "squared_difference"});
  const Operand operands[] = {filled(1000, 5), 2.0};
  const Array z = squared(operands).front();
  EXPECT_EQ(z.dtype(), DType::float32);
  EXPECT_EQ(item(reduce_ufunc(UfuncId::minimum, z)).get<float>(), 9.0F);
  EXPECT_EQ(squared.texts().size(), 1u);
}

TEST_P(UserKernels, ReduceAxes) {
  const ReductionKernel total({.in_params = "T x",
                               .out_params = "T y",
                               .map = "x",
                               .reduce = "a + b",
                               .post_map = "y = a",
                               .identity = "0",
                               .name = "total"});
  const Operand operands[] = {full({30, 70}, Scalar(2.0F), DType::float32)};
  const Array rows = total(operands, {.axes = Dims{1}}).front();
  EXPECT_EQ(rows.shape(), (Dims{30}));
  EXPECT_EQ(item(reduce_ufunc(UfuncId::maximum, rows)).get<float>(), 140.0F);
}

TEST_P(UserKernels, RefuseWhatDoesNotFitTheDeclaration) {
  const ElementwiseKernel kernel(
      {.in_params = "float64 x", .out_params = "float64 y", .operation = "y = x"});
  const Operand operands[] = {filled(3, 1)};
  EXPECT_THROW(kernel(operands), TypeError);
  EXPECT_THROW(kernel({}), TypeError);
  EXPECT_THROW(ElementwiseKernel({.in_params = "float x y"}), ValueError);
}

INSTANTIATE_TEST_SUITE_P(Platforms, UserKernels,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace cupola
