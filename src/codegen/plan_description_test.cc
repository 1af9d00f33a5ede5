#include "codegen/plan_description.h"

#include <gtest/gtest.h>

#include "graph/testing.h"

namespace cupola {
namespace {

using testing::stored;

TEST(PlanDescription, NamesAndBytesOfAMapWithABroadcastRow) {
  const Array a = stored({50, 20});
  const Array row = stored({20});
  const Array sum = make_ufunc(UfuncId::add, {a, row});
  const Write write{.value = make_cast(sum, DType::float64),
                    .target = stored({50, 20}, DType::float64)};
  const PlannedLaunch planned = plan_map({&write, 1});
  EXPECT_EQ(operations_text(planned.plan), "add, astype(float64)");
  const Traffic traffic = traffic_of(planned.plan, planned.arguments);
  EXPECT_EQ(traffic.read, 50 * 20 * 4 + 20 * 4);
  EXPECT_EQ(traffic.written, 50 * 20 * 8);
}

TEST(PlanDescription, AReductionReadsAllAndWritesWhatIsLeft) {
  const Array a = stored({50, 20});
  const Array total = make_reduce(make_ufunc(UfuncId::multiply, {a, a}), Dims{0}, UfuncId::add,
                                  DType::float32, DType::float32);
  const PlannedLaunch planned = plan_reduction(total, stored({20}));
  EXPECT_EQ(operations_text(planned.plan), "multiply, sum");
  const Traffic traffic = traffic_of(planned.plan, planned.arguments);
  EXPECT_EQ(traffic.read, 50 * 20 * 4);
  EXPECT_EQ(traffic.written, 20 * 4);
}

TEST(PlanDescription, LongProgramsAreCutInTheMiddle) {
  const Array a = stored({50});
  Array value = a;
  for (int i = 0; i < 9; ++i) value = make_ufunc(i % 2 ? UfuncId::sqrt : UfuncId::exp, {value});
  const Write write{.value = value, .target = stored({50})};
  const PlannedLaunch planned = plan_map({&write, 1});
  EXPECT_EQ(operation_names(planned.plan).size(), 9U);
  EXPECT_EQ(operations_text(planned.plan, 4), "exp, sqrt, 6 more, exp");
}

TEST(PlanDescription, WhatOnlyMovesElementsHasAName) {
  const Write copy{.value = stored({50}), .target = stored({50})};
  EXPECT_EQ(operations_text(plan_map({&copy, 1}).plan), "copy");
  const Write fill{.value = make_scalar(Scalar(1.0F), {50}, Device(PlatformKind::cpu, 0)),
                   .target = stored({50})};
  EXPECT_EQ(operations_text(plan_map({&fill, 1}).plan), "fill");
}

}  // namespace
}  // namespace cupola
