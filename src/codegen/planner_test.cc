#include "codegen/planner.h"

#include <gtest/gtest.h>

#include <limits>

#include "codegen/cuda/cuda_text_plans.h"
#include "codegen/plan_description.h"

namespace cupola {
namespace {

const Device kDevice(PlatformKind::cpu, 0);
alignas(64) char memory[1 << 16];

// An array that begins there in the memory.
Array placed(DType dtype, const Dims& shape, std::size_t byte_offset = 0) {
  auto storage =
      std::make_shared<Storage>(kDevice, memory + byte_offset, sizeof memory - byte_offset);
  return make_stored(dtype, shape, std::move(storage), Layout{c_strides(shape), 0});
}

Array transposed(const Array& a) {
  Layout layout = a.state().layout;
  std::reverse(layout.strides.begin(), layout.strides.end());
  Dims shape = a.shape();
  std::reverse(shape.begin(), shape.end());
  return make_view(a, shape, layout);
}

PlannedLaunch plan(const Array& value, const Array& target) {
  const Write write{.value = value, .target = target};
  return plan_map({&write, 1});
}

TEST(PlanMap, ContiguousOperandsAreOneFlatLoop) {
  const Array a = placed(DType::float32, {8, 16});
  const Array b = placed(DType::float32, {8, 16}, 4096);
  const PlannedLaunch launch =
      plan(make_ufunc(UfuncId::add, {a, b}), placed(DType::float32, {8, 16}, 8192));
  EXPECT_EQ(launch.plan.rank, 1);
  EXPECT_EQ(launch.arguments.extents, Dims({128}));
  ASSERT_EQ(launch.plan.steps.size(), 3u);
  EXPECT_EQ(launch.plan.steps[2].kind, StepKind::ufunc);
  EXPECT_EQ(launch.plan.inputs[0].layout, OperandLayout::contiguous);
  EXPECT_TRUE(launch.plan.inputs[0].aligned16);
  EXPECT_FALSE(launch.plan.wide_index);
}

TEST(PlanMap, MoreElementsThan32BitsCountHaveWideIndices) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t count : {kMax, kMax + 1}) {
    // Planned, not run.
    const PlannedLaunch launch =
        plan(placed(DType::int8, {count}), placed(DType::int8, {count}, 4096));
    EXPECT_EQ(launch.plan.wide_index, count > kMax);
  }
  // Few elements that lie far apart.
  const Array far = make_view(placed(DType::int8, {2}), {2}, Layout{Dims{kMax + 1}, 0});
  EXPECT_TRUE(plan(far, placed(DType::int8, {2}, 4096)).plan.wide_index);
  const Array backward = make_view(placed(DType::int8, {2}), {2}, Layout{Dims{-kMax - 2}, 0});
  EXPECT_TRUE(plan(backward, placed(DType::int8, {2}, 4096)).plan.wide_index);
}

TEST(PlanMap, RolledArraysAreReadWhereTheyLie) {
  const Array a = placed(DType::float32, {6, 8});
  const Array b = make_roll(a, {2, 0}), c = make_roll(a, {0, 3});
  const Array sum = make_ufunc(UfuncId::add, {make_ufunc(UfuncId::add, {a, b}), c});
  const PlannedLaunch launch = plan(sum, placed(DType::float32, {6, 8}, 8192));
  ASSERT_EQ(launch.plan.inputs.size(), 3u);
  EXPECT_EQ(launch.arguments.extents, Dims({6, 8}));
  EXPECT_EQ(launch.plan.inputs[0].turned, 0u);
  EXPECT_EQ(launch.plan.inputs[1].turned, 1u);
  EXPECT_EQ(launch.plan.inputs[2].turned, 2u);
  EXPECT_EQ(launch.plan.inputs[1].layout, OperandLayout::strided);
  ASSERT_EQ(launch.arguments.turns.size(), 3u);
  EXPECT_TRUE(launch.arguments.turns[0].empty());
  EXPECT_EQ(launch.arguments.turns[1], Dims({2, 0}));
  EXPECT_EQ(launch.arguments.turns[2], Dims({0, 3}));
  const auto* const front = static_cast<const float*>(pointer_of(a));
  EXPECT_EQ(launch.arguments.inputs[1].pointer, front + 4 * 8);
  EXPECT_EQ(launch.arguments.inputs[2].pointer, front + 5);
}

TEST(PlanMap, EqualRollsAreOneLoad) {
  const Array a = placed(DType::float32, {64});
  const Array sum = make_ufunc(UfuncId::add, {make_roll(a, {3}), make_roll(a, {3})});
  EXPECT_EQ(plan(sum, placed(DType::float32, {64}, 8192)).plan.steps.size(), 2u);
  const Array other = make_ufunc(UfuncId::add, {make_roll(a, {3}), make_roll(a, {4})});
  EXPECT_EQ(plan(other, placed(DType::float32, {64}, 8192)).plan.inputs.size(), 2u);
}

TEST(PlanMap, RollsByNothingAreRead) {
  const Array a = placed(DType::float32, {64});
  const PlannedLaunch launch = plan(make_roll(a, {0}), placed(DType::float32, {64}, 8192));
  EXPECT_EQ(launch.plan.inputs[0].turned, 0u);
  EXPECT_TRUE(launch.arguments.turns.empty());
}

TEST(PlanMap, TheStepBackFromATurnFitsIntoTheIndex) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t count : {kMax - 1, kMax}) {
    // Planned, not run.
    const Array a = placed(DType::int8, {count});
    EXPECT_EQ(plan(make_roll(a, {5}), placed(DType::int8, {count}, 4096)).plan.wide_index,
              count == kMax);
  }
}

TEST(PlanMap, MixedTypesCastInsideTheKernel) {
  const Array a = placed(DType::int32, {10});
  const Array b = placed(DType::float64, {10}, 4096);
  const PlannedLaunch launch =
      plan(make_ufunc(UfuncId::add, {a, b}), placed(DType::float32, {10}, 8192));
  const std::vector<StepKind> kinds{StepKind::load, StepKind::cast, StepKind::load, StepKind::ufunc,
                                    StepKind::cast};
  ASSERT_EQ(launch.plan.steps.size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(launch.plan.steps[i].kind, kinds[i]);
}

TEST(PlanMap, TheSameOperandIsLoadedOnce) {
  const Array a = placed(DType::float32, {10});
  const PlannedLaunch launch =
      plan(make_ufunc(UfuncId::multiply, {a, a}), placed(DType::float32, {10}, 4096));
  EXPECT_EQ(launch.plan.inputs.size(), 1u);
  EXPECT_EQ(launch.plan.steps.size(), 2u);
}

TEST(PlanMap, TransposedCopyKeepsTwoDimensions) {
  const Array a = placed(DType::float32, {8, 16});
  const PlannedLaunch launch = plan(transposed(a), placed(DType::float32, {16, 8}, 8192));
  EXPECT_EQ(launch.arguments.extents, Dims({16, 8}));
  EXPECT_EQ(launch.plan.inputs[0].layout, OperandLayout::strided);
  EXPECT_EQ(launch.arguments.inputs[0].strides, Dims({1, 16}));
}

TEST(PlanMap, TransposedOperandsAndTargetAreFlatAgain) {
  const Array a = placed(DType::float32, {8, 16});
  const PlannedLaunch launch = plan(make_ufunc(UfuncId::negative, {transposed(a)}),
                                    transposed(placed(DType::float32, {8, 16}, 8192)));
  EXPECT_EQ(launch.arguments.extents, Dims({128}));
  EXPECT_EQ(launch.plan.inputs[0].layout, OperandLayout::contiguous);
}

TEST(PlanMap, ScalarsAreArgumentsNotStructure) {
  const Array a = placed(DType::float32, {10});
  const auto with_scalar = [&](float value) {
    return plan(make_ufunc(UfuncId::add, {a, make_scalar(Scalar(value), {}, kDevice)}),
                placed(DType::float32, {10}, 4096));
  };
  const PlannedLaunch one = with_scalar(1.0F);
  const PlannedLaunch two = with_scalar(2.0F);
  EXPECT_EQ(plan_key(one.plan), plan_key(two.plan));
  EXPECT_EQ(two.arguments.scalars[0].get<float>(), 2.0F);
}

TEST(PlanMap, EqualStepsOfEqualScalarsAreOne) {
  const Array a = placed(DType::float32, {10});
  const auto steps_with = [&](Scalar one, Scalar two) {
    const Array left = make_ufunc(UfuncId::add, {a, make_scalar(one, {}, kDevice)});
    const Array right = make_ufunc(UfuncId::add, {a, make_scalar(two, {}, kDevice)});
    const PlannedLaunch launch = plan(
        make_ufunc(UfuncId::multiply,
                   {make_ufunc(UfuncId::negative, {left}), make_ufunc(UfuncId::negative, {right})}),
        placed(DType::float32, {10}, 4096));
    EXPECT_EQ(launch.arguments.scalars.size(), 2u);
    return std::ranges::count(launch.plan.steps, StepKind::ufunc, &Step::kind);
  };
  EXPECT_EQ(steps_with(Scalar(2.0F), Scalar(2.0F)), 3);
  EXPECT_EQ(steps_with(Scalar(2.0F), Scalar(3.0F)), 5);
  EXPECT_EQ(steps_with(Scalar(0.0F), Scalar(-0.0F)), 5);
}

TEST(PlanMap, EqualScalarsOfDifferentStepsAreNoStructure) {
  const Array a = placed(DType::float32, {10});
  const auto key_with = [&](float one, float two) {
    const auto scalar = [](float value) { return make_scalar(Scalar(value), {}, kDevice); };
    const Array product = make_ufunc(UfuncId::multiply, {a, scalar(one)});
    const Array value = make_ufunc(UfuncId::add, {product, scalar(two)});
    return plan_key(plan(value, placed(DType::float32, {10}, 4096)).plan);
  };
  EXPECT_EQ(key_with(2, 2), key_with(2, 3));
}

TEST(PlanMap, RowMajorNumbersKeepTheOrderOfDimensions) {
  const Array target = transposed(placed(DType::int64, {4, 6}));
  const PlannedLaunch launch = plan(make_index({6, 4}, kDevice), target);
  EXPECT_EQ(launch.arguments.extents, Dims({6, 4}));
}

TEST(PlanMap, OrderedRowsKeepTheirDimensionAndHaveOneOffset) {
  const Array keys = transposed(placed(DType::float32, {8, 6}));
  const Array number = make_scalar(Scalar(std::int64_t{2}).cast(DType::uint8), {}, kDevice);
  const Array digit = make_ufunc(UfuncId::sort_digit, {keys, number});
  const Write writes[] = {{.value = keys,
                           .target = placed(DType::float32, {6, 8}, 4096),
                           .store = StoreKind::partition,
                           .offset = digit},
                          {.value = make_index({6, 8}, kDevice),
                           .target = placed(DType::int32, {6, 8}, 8192),
                           .store = StoreKind::partition,
                           .offset = digit}};
  const PlannedLaunch launch = plan_map(writes);
  EXPECT_EQ(launch.arguments.extents, Dims({6, 8}));
  EXPECT_EQ(launch.arguments.inputs[0].strides, Dims({1, 6}));
  EXPECT_EQ(launch.plan.reduced_rank(), 1);
  EXPECT_EQ(launch.plan.outputs[0].offset, launch.plan.outputs[1].offset);
  EXPECT_EQ(launch.plan.outputs[1].operand.layout, OperandLayout::indexed);
  const auto offset = static_cast<std::size_t>(launch.plan.outputs[0].offset);
  EXPECT_EQ(launch.plan.steps[offset].dtype, DType::uint8);
  const Write whole{.value = placed(DType::int8, {2, 3, 4}),
                    .target = placed(DType::int8, {2, 3, 4}, 4096),
                    .store = StoreKind::sort,
                    .offset = placed(DType::int8, {2, 3, 4})};
  EXPECT_EQ(plan_map({&whole, 1}).arguments.extents, Dims({6, 4}));
}

TEST(PlanReduction, ReducedDimensionsComeLast) {
  const Array a = placed(DType::float32, {8, 16});
  const Array sum = make_reduce(a, {0}, UfuncId::add, DType::float32, DType::float32);
  EXPECT_EQ(sum.shape(), Dims({16}));
  const PlannedLaunch launch = plan_reduction(sum, placed(DType::float32, {16}, 8192));
  EXPECT_EQ(launch.plan.kind(), PlanKind::reduce);
  EXPECT_EQ(launch.arguments.extents, Dims({16, 8}));
  EXPECT_EQ(launch.arguments.inputs[0].strides, Dims({1, 16}));
  EXPECT_EQ(launch.arguments.outputs[0].strides, Dims({1, 0}));
}

TEST(PlanReduction, MapsBeforeTheReductionAreFused) {
  const Array a = placed(DType::float32, {8, 16});
  const Array square = make_ufunc(UfuncId::multiply, {a, a});
  const Array sum = make_reduce(square, {0, 1}, UfuncId::add, DType::float64, DType::float64);
  const PlannedLaunch launch = plan_reduction(sum, placed(DType::float64, {}, 8192));
  EXPECT_EQ(launch.arguments.extents, Dims({128}));
  EXPECT_EQ(launch.plan.reduced_rank(), 1);
  EXPECT_EQ(launch.plan.steps.back().dtype, DType::float64);
}

TEST(PlanReduction, FunctionsOfUsersMapCombineAndFinish) {
  const auto f32 = DType::float32;
  const auto functions = plans::functions_of_reduction(
      plans::user_reduction("T x, T y", "T z", "x * y", "max(a, b)", "z = a + y"), {f32, f32, f32});
  const Array a = placed(f32, {8, 16});
  const Array two = make_scalar(Scalar(2.0F), {}, a.device());
  const Array mapped =
      make_user(functions[kUserMap], {make_ufunc(UfuncId::negative, {a}), two}).front();
  const Array largest = make_user_reduce(mapped, {0}, functions[kUserCombine]);
  const Array result = make_user(functions[kUserFinish], {largest, two}).front();
  EXPECT_EQ(largest.shape(), Dims({16}));
  const PlannedLaunch launch = plan_reduction(largest, placed(f32, {16}, 8192), result);
  const KernelPlan& plan = launch.plan;
  EXPECT_EQ(plan.combine()->accumulator, f32);
  EXPECT_EQ(combining_function(plan, plan.combine()->function)->key, functions[kUserCombine].key);
  EXPECT_EQ(plan.calls[finish_of(plan).back().index].function->key, functions[kUserFinish].key);
  EXPECT_EQ(operations_text(plan, 9), "negative, r");
  KernelPlan other = plan;
  std::get<ReducePlan>(other.own).combine.function = combining_index(plan.steps.back().index);
  EXPECT_NE(plan_key(other), plan_key(plan));
  EXPECT_NE(hash_of(other), hash_of(plan));
  EXPECT_NE(other, plan);
}

}  // namespace
}  // namespace cupola
