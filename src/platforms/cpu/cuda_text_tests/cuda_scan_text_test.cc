// Generated CUDA text of scans, compiled for the host, against plain loops.

#include <complex>
#include <random>

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_text_plans.h"
#include "driver/testing/sample_launch.h"
#include "platforms/cpu/cuda_text_tests/cuda_text_test_support.h"

namespace cupola::cpu {
namespace {

using plans::kContiguous;
using plans::kStrided;

class CudaScanText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
  }
};

// With rounding, whose code is long, the elements are computed at one place of the text.
KernelPlan scan(DType dtype, OperandLayout layout, bool aligned, bool rounds) {
  PlanBuilder b(PlanKind::scan, 2, 1);
  const std::int16_t x = b.load(dtype, layout, aligned);
  const std::int16_t value = rounds ? b.ufunc(UfuncId::floor, x, -1, dtype) : x;
  return b.store(value, layout, aligned).combine(UfuncId::add, dtype).take();
}

template <typename T>
class Scan {
 public:
  Scan(DType dtype, OperandLayout layout, bool aligned, bool rounds = false)
      : text_(scan(dtype, layout, aligned, rounds)), step_(layout == kStrided ? 2 : 1) {}

  // The name of the chosen kernel.
  std::string check(std::int64_t rows, std::int64_t length) const {
    struct alignas(16) Four {
      T at[4];
    };
    const std::int64_t row = length * step_;
    std::vector<Four> source(static_cast<std::size_t>(rows * row / 4 + 1)), target(source.size());
    T* const in = source.front().at;
    T* const out = target.front().at;
    for (std::int64_t i = 0; i < rows * row; ++i) {
      in[i] = static_cast<T>(i * 7919 % 13 - 6);
      out[i] = T(-1);
    }
    const LaunchArguments arguments{.extents = {rows, length},
                                    .inputs = {{in, {row, step_}}},
                                    .outputs = {{out, {row, step_}}}};
    std::mt19937 random(static_cast<unsigned>(length));
    text_.run_in_parts(arguments, [&random](std::int64_t elements) {
      return testing::random_parts(elements, random);
    });
    for (std::int64_t r = 0; r < rows; ++r) {
      T sum{};
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t at = r * row + i * step_;
        sum = static_cast<T>(sum + in[at]);
        if (out[at] != sum) {
          ADD_FAILURE() << rows << " x " << length << " at " << r << ", " << i;
          return {};
        }
      }
    }
    return std::string(text_.kernel_of(arguments));
  }

 private:
  HostText text_;
  std::int64_t step_;
};

TEST_F(CudaScanText, RowsOfEveryLength) {
  const Scan<std::int32_t> packed(DType::int32, kContiguous, true);
  const Scan<double> wide(DType::float64, kStrided, false);
  EXPECT_EQ(packed.check(3, 33), "_tiles");
  EXPECT_EQ(packed.check(3, 32), "_in_order");
  for (const std::int64_t length : {1, 4, 100, 1023, 1025, 4095, 4096, 8191, 8192, 8193, 20001}) {
    packed.check(1, length);
    wide.check(2, length);
    if (length > 32) {
      EXPECT_EQ(packed.check(3, length), length % 4 == 0 ? "_tiles_packed" : "_tiles");
    }
  }
}

TEST_F(CudaScanText, SmallAndLargeValues) {
  Scan<std::int8_t>(DType::int8, kContiguous, true).check(1, 9000);
  Scan<std::int16_t>(DType::int16, kContiguous, true).check(2, 9000);
  Scan<std::complex<double>>(DType::complex128, kContiguous, true).check(2, 9000);
}

TEST_F(CudaScanText, ElementsThatTakeMuchCode) {
  const Scan<double> scan(DType::float64, kContiguous, true, true);
  for (const std::int64_t length : {33, 4096, 4097, 8192, 20001}) scan.check(2, length);
}

// Groups of 32 tiles, and groups of 32 groups.
TEST_F(CudaScanText, GroupsOfTiles) {
  constexpr std::int64_t kTile = cupola_device::kScanBytes / 16;
  const Scan<std::complex<double>> scan(DType::complex128, kContiguous, true);
  for (const std::int64_t tiles : {31, 32, 33, 64}) {
    scan.check(1, tiles * kTile);
    scan.check(2, tiles * kTile - 5);
  }
  scan.check(1, (32 * 32 + 34) * kTile + 1);
}

}  // namespace
}  // namespace cupola::cpu
