#include "codegen/cuda/select_text.h"

#include <gtest/gtest.h>

#include <array>

#include "codegen/device_tests/nvrtc_test_support.h"

namespace cupola {
namespace {

std::vector<DType> selected_dtypes() {
  std::vector<DType> result;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (!is_complex(static_cast<DType>(i))) result.push_back(static_cast<DType>(i));
  }
  return result;
}

TEST(SelectText, Compiles) {
  const Nvrtc nvrtc;
  if (!nvrtc.is_open()) GTEST_SKIP() << "no NVRTC";
  // Each dtype for one of them.
  constexpr std::array<const char*, 3> kArchitectures{
      "--gpu-architecture=sm_75", "--gpu-architecture=sm_90", "--gpu-architecture=sm_100"};
  std::size_t next = 0;
  for (const DType dtype : selected_dtypes()) {
    const char* const architecture = kArchitectures[next++ % kArchitectures.size()];
    const std::string log = nvrtc.compile(
        select_text(dtype),
        {architecture, "--std=c++20", "--fmad=false", "--minimal", "--diag-suppress=177"});
    EXPECT_EQ(log, "") << name_of(dtype) << " " << architecture;
  }
}

// All bits of the keys are looked at, in places that a block has.
TEST(SelectText, PassesCoverTheKeys) {
  for (const DType dtype : selected_dtypes()) {
    for (const std::int64_t ranks : {1, 2, 3, 5, 8}) {
      unsigned int known = 0;
      const std::vector<SelectLaunch> launches = select_launches(dtype, 1 << 20, ranks);
      for (const SelectLaunch& launch : launches) {
        if (launch.kernel != SelectKernel::count) continue;
        EXPECT_EQ(launch.known, known);
        const std::int64_t slots = known == 0 ? 1 : ranks;
        EXPECT_LE(slots << launch.width, std::int64_t{cupola_device::kSelectPlaces});
        if (!launch.by_part) known += launch.width;
      }
      EXPECT_EQ(known, 8 * item_size(dtype));
      EXPECT_EQ(launches.back().kernel, SelectKernel::find);
      const unsigned int part_log = select_part_log(1 << 20, ranks);
      EXPECT_LE(((1 << 20) - 1) >> part_log, (cupola_device::kSelectPlaces / ranks) - 1);
    }
  }
}

}  // namespace
}  // namespace cupola
