// Generated CUDA text with functions of users, compiled for the host.

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_text_plans.h"
#include "platforms/cpu/cuda_text_tests/cuda_text_test_support.h"

namespace cupola::cpu {
namespace {

TEST(CudaTextOfUsers, ComputesWhatTheBodiesSay) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  constexpr std::int64_t kCount = 1003;
  struct alignas(16) Values {
    float at[kCount + 1];
  };
  Values x, y, out{};
  for (int i = 0; i < kCount; ++i) {
    x.at[i] = static_cast<float>(i % 13) - 4;
    y.at[i] = static_cast<float>(i % 7);
  }
  constexpr float kScalar = 2.5F;
  LaunchArguments arguments;
  arguments.extents = {kCount};
  arguments.inputs = {{x.at, {1}}, {y.at, {1}}};
  arguments.outputs = {{out.at, {1}}};
  arguments.scalars = {Scalar(kScalar)};
  const HostText text(plans::two_users(OperandLayout::contiguous, true));
  text.run(arguments);
  const auto first = [](float a, float limit) { return std::min(a * 3, limit * 3); };
  for (int i = 0; i < kCount; ++i) {
    const float k = first(x.at[i] + y.at[i], kScalar);
    EXPECT_EQ(out.at[i], first((k - 2 - 2) * kScalar, k)) << i;
  }
  EXPECT_EQ(out.at[kCount], 0);
}

// What combines.
enum class By { ufunc, user };

// The sum of the squares of each row; with `rows` also that of the elements, as a plan for rows.
KernelPlan sums(By by, OperandLayout layout, bool aligned, bool rows) {
  const auto f32 = DType::float32;
  const auto functions = plans::functions_of_reduction(
      plans::user_reduction("T x", "T y", "x", "a + b", "y = a"), {f32, f32});
  const UserFunction& added = functions[kUserCombine];
  PlanBuilder b(rows ? PlanKind::rows : PlanKind::reduce, 2, 1);
  const auto x = b.load(f32, layout, aligned);
  const auto square = b.ufunc(UfuncId::multiply, x, x, f32);
  if (rows) {
    const auto add = [&](std::int16_t value) {
      return by == By::user ? b.combine_row(added, value) : b.combine_row(UfuncId::add, value);
    };
    return b.store_row(add(square)).store_row(add(x)).take();
  }
  b.store_as(square, f32, plans::kStrided);
  if (by == By::user) return b.combine(added, functions[kUserFinish], {}).take();
  return b.combine(UfuncId::add, f32).take();
}

// The text in which a user's addition combines, beside that of sums.
class UserSums {
 public:
  UserSums(OperandLayout layout, bool aligned, bool rows)
      : outputs_(rows ? 2 : 1),
        expected_(sums(By::ufunc, layout, aligned, rows)),
        text_(sums(By::user, layout, aligned, rows)) {}

  // The name of the chosen kernel.
  std::string check(std::int64_t kept, std::int64_t length, const Dims& strides) {
    struct alignas(16) Four {
      float at[4];
    };
    std::vector<Four> source(static_cast<std::size_t>(kept * length / 4 + 1));
    float* const in = source.front().at;
    for (std::int64_t i = 0; i < kept * length; ++i) {
      in[i] = static_cast<float>(i * 7919 % 1013 - 500) / 37;
    }
    std::vector<float> expected(outputs_ * static_cast<std::size_t>(kept), -1);
    std::vector<float> found = expected;
    LaunchArguments arguments{.extents = {kept, length}, .inputs = {{in, strides}}, .outputs = {}};
    const auto store_to = [&](std::vector<float>& values) {
      arguments.outputs.clear();
      for (std::size_t o = 0; o < outputs_; ++o) {
        arguments.outputs.push_back({values.data() + static_cast<std::int64_t>(o) * kept, {1, 0}});
      }
    };
    store_to(expected);
    expected_.run(arguments);
    store_to(found);
    text_.run(arguments);
    EXPECT_EQ(found, expected) << kept << " x " << length;
    return std::string(text_.kernel_of(arguments));
  }

 private:
  const std::size_t outputs_;
  const HostText expected_, text_;
};

TEST(CudaTextOfUsers, CombinesAsSumsAre) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  for (const bool rows : {false, true}) {
    UserSums along(plans::kContiguous, true, rows);
    EXPECT_EQ(along.check(3, 40, {40, 1}), "_short_rows_packed");
    EXPECT_EQ(along.check(3, 41, {41, 1}), "_short_rows");
    EXPECT_EQ(along.check(40, 5000, {5000, 1}), "_rows_packed");
    EXPECT_EQ(along.check(2, 300'001, {300'001, 1}), "_tiles");
    UserSums across(plans::kStrided, false, rows);
    EXPECT_EQ(across.check(100, 70, {1, 100}), "_columns");
    EXPECT_EQ(across.check(100, 5000, {1, 100}), "_columns");
    EXPECT_EQ(across.check(3, 1, {1, 3}), "_short_rows");
  }
}

}  // namespace
}  // namespace cupola::cpu
