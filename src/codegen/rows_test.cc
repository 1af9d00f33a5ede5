// From nodes over the same rows to a plan, and from that to the kernel of a launch.

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_launch.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "codegen/planner.h"
#include "codegen/row_program.h"
#include "graph/fusion.h"
#include "graph/testing.h"

namespace cupola {
namespace {

using testing::stored;

Array reduced(UfuncId ufunc, const Array& a, const Dims& axes, KeepAxes keep = KeepAxes::yes) {
  return make_reduce(a, axes, ufunc, a.dtype(), a.dtype(), keep);
}

struct Softmax {
  explicit Softmax(const Array& a, Dims axes = {1})
      : largest(reduced(UfuncId::maximum, a, axes)),
        e(make_ufunc(UfuncId::exp, {make_ufunc(UfuncId::subtract, {a, largest})})),
        sum(reduced(UfuncId::add, e, axes)),
        result(make_ufunc(UfuncId::divide, {e, sum})) {}
  Array largest, e, sum, result;
};

// As if no variable had them.
Array softmax(const Array& a, Dims axes = {1}) { return Softmax(a, std::move(axes)).result; }

PlannedLaunch plan(const RowGroup& group, std::span<const Array> roots) {
  std::vector<Write> writes;
  for (const Array& root : roots) {
    writes.push_back({.value = root, .target = stored(root.shape(), root.dtype())});
  }
  return plan_rows(writes, group.rows);
}

std::string kernel_name(const PlannedLaunch& planned) {
  const auto family = cuda_family(planned.plan);
  const CudaLaunch launch = cuda_launch(*family, planned.arguments);
  return family->kernels()[static_cast<std::size_t>(launch.stages[0].kernel)];
}

std::string softmax_kernel(const Dims& shape, DType dtype = DType::float32) {
  const Array root = softmax(stored(shape, dtype));
  const auto group = find_row_group({&root, 1});
  return group ? kernel_name(plan(*group, {&root, 1})) : "none";
}

TEST(Rows, PlainSoftmaxIsOneGroup) {
  const Array root = softmax(stored({40, 1000}));
  const auto group = find_row_group({&root, 1});
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->region.materialized_inputs.empty());
  EXPECT_TRUE(group->region.live_outputs.empty());
  EXPECT_EQ(group->rows.axes, Dims({1}));
  const PlannedLaunch planned = plan(*group, {&root, 1});
  EXPECT_EQ(planned.plan.kind(), PlanKind::rows);
  const RowProgram program = row_program(planned.plan);
  ASSERT_EQ(program.stages.size(), 3u);
  EXPECT_EQ(program.stages[0].combined.size(), 1u);
  EXPECT_EQ(program.held_bytes, 4);
}

TEST(Rows, WhatIsHeldIsStoredToo) {
  const Softmax parts(stored({40, 1000}));
  const auto group = find_row_group({&parts.result, 1});
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->region.materialized_inputs.empty());
  EXPECT_EQ(group->region.live_outputs.size(), 3u);
}

TEST(Rows, KernelsFollowTheReductionsOfSuchRows) {
  EXPECT_EQ(softmax_kernel({40, 256}), "_short_rows_4_packed");
  EXPECT_EQ(softmax_kernel({40, 1000}), "_short_rows_8_packed");
  EXPECT_EQ(softmax_kernel({40, 1001}), "_short_rows_8");
  EXPECT_EQ(softmax_kernel({40, 2048}), "_rows_2_packed");
  EXPECT_EQ(softmax_kernel({40, 4096}), "_rows_4_packed");
  EXPECT_EQ(softmax_kernel({40, 16384}), "_rows_16_packed");
  EXPECT_EQ(softmax_kernel({40, 16383}), "_rows_16");
  EXPECT_EQ(softmax_kernel({1, 16382}), "_rows_16");
  EXPECT_EQ(softmax_kernel({40, 16384}, DType::float64), "_rows_16_packed");
  EXPECT_EQ(softmax_kernel({40, 16384}, DType::complex64), "_rows_again_packed");
  EXPECT_EQ(softmax_kernel({40, 16385}), "none");
}

TEST(Rows, AlongColumnsOnlyFewRows) {
  const Array many = softmax(stored({1000, 40}), {0});
  EXPECT_FALSE(find_row_group({&many, 1}));
  const Array few = softmax(stored({1000, 31}), {0});
  EXPECT_TRUE(find_row_group({&few, 1}));
}

TEST(Rows, OtherReductionsAreBarriers) {
  const Array a = stored({40, 50});
  const Array root =
      make_ufunc(UfuncId::add, {make_ufunc(UfuncId::subtract, {a, reduced(UfuncId::add, a, {1})}),
                                reduced(UfuncId::add, a, {0, 1})});
  const auto group = find_row_group({&root, 1});
  ASSERT_TRUE(group);
  EXPECT_EQ(group->region.materialized_inputs.size(), 1u);
}

TEST(Rows, AResultOfAnotherAlignmentIsNoRow) {
  const Array a = stored({40, 40});
  const Array root =
      make_ufunc(UfuncId::subtract, {a, reduced(UfuncId::add, a, {1}, KeepAxes::no)});
  EXPECT_FALSE(find_row_group({&root, 1}));
}

TEST(Rows, SeveralReductionsAreOnePassInAnyDirection) {
  for (const Dims& shape : {Dims{5000, 64}, Dims{64, 50000}}) {
    const Array a = stored(shape);
    const std::int64_t axis = shape[0] > shape[1] ? 0 : 1;
    const std::vector<Array> roots{reduced(UfuncId::minimum, a, {axis}, KeepAxes::no),
                                   reduced(UfuncId::maximum, a, {axis})};
    const auto group = find_row_group(roots);
    ASSERT_TRUE(group);
    const PlannedLaunch planned = plan(*group, roots);
    EXPECT_TRUE(row_program(planned.plan).is_reduction);
    EXPECT_EQ(kernel_name(planned), axis == 0 ? "_columns" : "_tiles_packed");
  }
}

TEST(Rows, SeveralResultsOfOneReductionAreOnePass) {
  std::vector<Array> roots;
  {
    const Array sum = reduced(UfuncId::add, stored({40, 50}), {1}, KeepAxes::no);
    roots = {make_ufunc(UfuncId::negative, {sum}), make_ufunc(UfuncId::square, {sum})};
    EXPECT_FALSE(find_row_group(roots)) << "somebody has it";
  }
  const auto group = find_row_group(roots);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->tops.size(), 1u);
  EXPECT_TRUE(row_program(plan(*group, roots).plan).is_reduction);
}

TEST(Rows, FunctionsOfUsersCombineThem) {
  const auto f32 = DType::float32;
  const auto functions = plans::functions_of_reduction(
      plans::user_reduction("T x", "T y", "x", "a * b", "y = a"), {f32, f32});
  const auto row_result = [&](const UserFunction& combine) {
    const Array a = stored({40, 50});
    return make_ufunc(UfuncId::divide, {a, make_user_reduce(a, {1}, combine, KeepAxes::yes)});
  };
  const Array root = row_result(functions[kUserCombine]);
  const auto group = find_row_group({&root, 1});
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->region.materialized_inputs.empty());
  UserFunction endless = functions[kUserCombine];
  endless.may_loop = true;
  const Array other = row_result(endless);
  EXPECT_FALSE(find_row_group({&other, 1})) << "lanes combine what may be no values";
}

TEST(Rows, OneReductionHasAKernelOfItsOwn) {
  const Array root = reduced(UfuncId::add, stored({40, 50}), {1});
  EXPECT_FALSE(find_row_group({&root, 1}));
}

TEST(Rows, ReductionsOverTheSameRowsAreMates) {
  const Array a = stored({40, 50});
  const Array b = stored({50, 40});
  const std::vector<Array> arrays{reduced(UfuncId::add, a, {0}), reduced(UfuncId::add, b, {0}),
                                  reduced(UfuncId::maximum, a, {0}),
                                  reduced(UfuncId::maximum, a, {1})};
  const auto lists = find_mates(arrays);
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_EQ(lists[0].size(), 2u);
}

}  // namespace
}  // namespace cupola
