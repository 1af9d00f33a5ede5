// Selection by rank on the fake driver: what is launched, and with which arguments.

#include <gmock/gmock.h>

#include <cstddef>
#include <cstring>

#include "base/counters.h"
#include "codegen/cuda/select_text.h"
#include "driver/select_problem.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

using cupola_device::SelectArguments;

constexpr std::size_t kFront = offsetof(SelectArguments, extents);

class FakeSelect : public OnFakeCuda {
 protected:
  std::vector<SelectArguments> select(const SelectProblem& problem) {
    const FakeStream stream(driver_);
    fake_.watch_launches(kFront);
    driver_->select(problem, stream);
    std::vector<SelectArguments> result;
    for (const auto& launch : fake_.take_launches()) {
      result.emplace_back();
      std::memcpy(&result.back(), launch.argument, kFront);
    }
    return result;
  }
  std::vector<float> elements_ = std::vector<float>(1);
  std::vector<std::int64_t> ranks_{5, 7};
  std::vector<float> found_ = std::vector<float>(2);
};

TEST_F(FakeSelect, ARowTakesAPassForEachPartOfTheKeysAndOneForEqualElements) {
  on_fake_cuda([this] {
    const auto launches = select({.dtype = DType::float32,
                                  .in = elements_.data(),
                                  .extents = {1'000'000},
                                  .strides = {1},
                                  .ranks = ranks_.data(),
                                  .rank_count = 2,
                                  .out = found_.data()});
    ASSERT_EQ(launches.size(), select_launches(DType::float32, 1'000'000, 2).size());
    ASSERT_EQ(launches.size(), 10u);  // begin, three passes and one more of two kernels, find
    EXPECT_EQ(launches[1].in, static_cast<const void*>(elements_.data()));
    EXPECT_EQ(launches[1].rank_count, 2u);
    EXPECT_EQ(launches[1].width, 12u);
    EXPECT_EQ(launches[3].known, 12u);
    EXPECT_EQ(launches[7].by_part, 1u);
    EXPECT_EQ(launches[9].out, static_cast<void*>(found_.data()));
  });
}

TEST_F(FakeSelect, ManyRowsGoInPieces) {
  on_fake_cuda([this] {
    const std::uint64_t loads = value_of(Counter::module_loads);
    const auto launches = select({.dtype = DType::int16,
                                  .in = elements_.data(),
                                  .extents = {3, 100, 4096},
                                  .strides = {409'600, 4096, 1},
                                  .ranks = ranks_.data(),
                                  .rank_count = 1,
                                  .out = found_.data()});
    const std::size_t of_piece = select_launches(DType::int16, 4096, 1).size();
    ASSERT_EQ(launches.size(), 2 * of_piece);
    EXPECT_EQ(launches.front().rows, 300u);
    EXPECT_EQ(launches.front().first_row, 0u);
    EXPECT_EQ(launches.back().first_row, 256u);
    EXPECT_EQ(value_of(Counter::module_loads), loads + kSelectKernels);
    select({.dtype = DType::int16,
            .in = elements_.data(),
            .extents = {4096},
            .strides = {1},
            .ranks = ranks_.data(),
            .rank_count = 1,
            .out = found_.data()});
    EXPECT_EQ(value_of(Counter::module_loads), loads + kSelectKernels);
  });
}

TEST_F(FakeSelect, ShortRowsAndComplexNumbersAreSorted) {
  on_fake_cuda([this] {
    EXPECT_EQ(driver_->most_selected(DType::float32, kShortestSelected), 8);
    EXPECT_EQ(driver_->most_selected(DType::float32, kShortestSelected - 1), 0);
    EXPECT_EQ(driver_->most_selected(DType::complex64, 1 << 30), 0);
  });
}

}  // namespace
}  // namespace cupola::cuda
