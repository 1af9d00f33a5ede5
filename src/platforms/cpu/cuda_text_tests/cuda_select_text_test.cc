// Selection by rank: the text of its kernels, compiled for the host, against the standard library.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "codegen/cuda/select_text.h"
#include "platforms/cpu/cuda_text_tests/cuda_text_test_support.h"

namespace cupola::cpu {
namespace {

using cupola_device::SelectArguments;
using cupola_device::SelectRow;

constexpr std::string_view kSelectRunner = R"host(
template <void (*Kernel)(cupola_device::SelectArguments)>
static void call(const void* argument) {{
  Kernel(*static_cast<const cupola_device::SelectArguments*>(argument));
}}
extern "C" void run(int number, const void* argument, unsigned int blocks, unsigned int rows) {{
  void (*const kernels[])(const void*) = {{call<{}>, call<{}>, call<{}>, call<{}>}};
  threads::count = static_cast<int>(cupola_device::kSelectThreads);
  blockDim.x = cupola_device::kSelectThreads;
  const threads::Stacks stacks(cupola_device::kSelectThreads);
  threads::start(stacks.data);
  threads::kernel = kernels[number];
  threads::argument = argument;
  gridDim = {{blocks, rows, 1}};
  for (unsigned int row = 0; row < rows; ++row) {{
    for (unsigned int block = 0; block < blocks; ++block) {{
      blockIdx = {{block, row, 0}};
      threads::run_block();
    }}
  }}
}}
)host";

using Runner = void(int, const void*, unsigned int, unsigned int);

Runner* runner_of(DType dtype) {
  ModuleSource source;
  source.prelude = kDeviceAsHost;
  source.text = select_text(dtype) +
                fmt::format(fmt::runtime(kSelectRunner), select_entry(SelectKernel::begin),
                            select_entry(SelectKernel::count), select_entry(SelectKernel::step),
                            select_entry(SelectKernel::find));
  return reinterpret_cast<Runner*>(dlsym(load_host_code(source), "run"));
}

template <typename T>
bool comes_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

// Bit for bit what a stable sort has at the ranks of each row; rows begin `apart` elements from
// each other.
template <typename T>
void expect_selected(const std::vector<T>& values, std::int64_t rows, std::int64_t apart,
                     const std::vector<long long>& ranks, bool ranks_of_all) {
  Runner* const run = runner_of(dtype_of<T>);
  const std::int64_t length = apart - 3;
  const std::size_t count =
      ranks_of_all ? ranks.size() : ranks.size() / static_cast<std::size_t>(rows);
  const auto states = std::make_unique<SelectRow[]>(static_cast<std::size_t>(rows));
  std::vector<T> found(count * static_cast<std::size_t>(rows));
  SelectArguments arguments{};
  arguments.in = values.data();
  arguments.ranks = ranks.data();
  arguments.out = found.data();
  arguments.scratch = states.get();
  arguments.length = static_cast<unsigned long long>(length);
  arguments.rows = static_cast<unsigned long long>(rows);
  arguments.rank_count = static_cast<unsigned int>(count);
  arguments.ranks_of_all = ranks_of_all ? 1 : 0;
  arguments.part_log = select_part_log(length, static_cast<std::int64_t>(count));
  arguments.rank = 1;
  arguments.extents[0] = rows;
  arguments.strides[0] = apart;
  for (const SelectLaunch& each :
       select_launches(dtype_of<T>, length, static_cast<std::int64_t>(count))) {
    arguments.known = each.known;
    arguments.width = each.width;
    arguments.by_part = each.by_part;
    run(static_cast<int>(each.kernel), &arguments, each.grid_x, static_cast<unsigned int>(rows));
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<T> sorted;
    for (std::int64_t i = 0; i < length; ++i) {
      sorted.push_back(values[static_cast<std::size_t>(r * apart + i)]);
    }
    std::stable_sort(sorted.begin(), sorted.end(), comes_before<T>);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = k * static_cast<std::size_t>(rows) + static_cast<std::size_t>(r);
      const long long rank = ranks_of_all ? ranks[k] : ranks[at];
      const T expected = sorted[static_cast<std::size_t>(std::clamp(rank, 0LL, length - 1LL))];
      ASSERT_EQ(std::memcmp(&found[at], &expected, sizeof(T)), 0)
          << "row " << r << ", rank " << rank << ": " << +found[at] << " is not " << +expected;
    }
  }
}

template <typename T>
std::vector<T> any_bits(std::int64_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(count));
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof(T));
  }
  return values;
}

template <typename T>
class CudaSelectText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
  }
};
using Types =
    ::testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(CudaSelectText, Types);

TYPED_TEST(CudaSelectText, OneToEightRanks) {
  const std::vector<TypeParam> values = any_bits<TypeParam>(20'011);
  expect_selected(values, 1, std::ssize(values), {10'005}, true);
  expect_selected(values, 1, std::ssize(values), {20'010, 0}, true);
  expect_selected(values, 1, std::ssize(values),
                  {7, 5'000, 5'001, 5'002, 12'000, 12'000, 19'000, -4}, true);
}

TYPED_TEST(CudaSelectText, RowsWithRanksOfTheirOwn) {
  const std::vector<TypeParam> values = any_bits<TypeParam>(3 * 2'501);
  expect_selected(values, 3, 2'501, {0, 1'250, 2'497, 99'999, 17, 3}, false);
  expect_selected(values, 3, 2'500, {625, 1'000}, true);
}

TYPED_TEST(CudaSelectText, FewNeighbouringValues) {
  std::vector<TypeParam> values = any_bits<TypeParam>(9'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<TypeParam>(100 + i * 7 % 3);
  expect_selected(values, 1, std::ssize(values), {0, 2'999, 3'000, 5'999, 6'000, 8'999}, true);
  expect_selected(std::vector<TypeParam>(9'000, TypeParam(5)), 1, 9'000, {4'500}, true);
  expect_selected(std::vector<TypeParam>(4, TypeParam(5)), 1, 4, {0, 0}, true);
}

TEST(CudaSelectTextOfFloats, EqualElementsAreTakenInTheirOrder) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  std::mt19937_64 random(13);
  std::vector<float> values;
  for (int i = 0; i < 30'000; ++i) {
    const float payload =
        std::bit_cast<float>(0x7FC0'0000u + static_cast<std::uint32_t>(random() % 1000));
    const float choices[] = {0.0F,      -0.0F,    payload,
                             -INFINITY, INFINITY, std::numeric_limits<float>::denorm_min()};
    values.push_back(choices[random() % std::size(choices)]);
  }
  for (long long first : {0, 4'990, 6'001, 9'000, 13'337, 20'100, 29'995}) {
    expect_selected(values, 1, std::ssize(values), {first, first + 1, first + 2, first + 3}, true);
    expect_selected(values, 1, std::ssize(values), {first}, true);
  }
}

}  // namespace
}  // namespace cupola::cpu
