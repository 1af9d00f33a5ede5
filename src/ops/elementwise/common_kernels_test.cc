#include "ops/elementwise/common_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "codegen/cuda/cuda_text.h"

namespace cupola {
namespace {

bool has_plan(const std::vector<KernelPlan>& plans, PlanKind kind, UfuncId ufunc, DType dtype) {
  return std::any_of(plans.begin(), plans.end(), [&](const KernelPlan& plan) {
    if (plan.kind() != kind || plan.inputs.empty() || plan.inputs[0].dtype != dtype) return false;
    if (kind == PlanKind::reduce) return plan.combine()->ufunc == ufunc;
    return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
      return step.kind == StepKind::ufunc && step.ufunc == ufunc;
    });
  });
}

TEST(CommonKernels, ArePlansOfWhatIsUsedMost) {
  const std::vector<KernelPlan> plans = common_plans();
  for (const DType dtype : {DType::int32, DType::int64, DType::float32, DType::float64}) {
    for (const UfuncId ufunc : {UfuncId::add, UfuncId::divide, UfuncId::less}) {
      EXPECT_TRUE(has_plan(plans, PlanKind::map, ufunc, dtype));
    }
    EXPECT_TRUE(has_plan(plans, PlanKind::reduce, UfuncId::add, dtype));
  }
  EXPECT_FALSE(has_plan(plans, PlanKind::map, UfuncId::arctan2, DType::float32));
}

TEST(CommonKernels, AreTheSameEachTimeAndEachOnce) {
  const std::vector<KernelPlan> plans = common_plans();
  std::set<std::string> keys;
  for (const KernelPlan& plan : plans) keys.insert(plan_key(plan));
  EXPECT_EQ(keys.size(), plans.size());
  EXPECT_EQ(common_plans(), plans);
}

TEST(CommonKernels, HaveText) {
  for (const KernelPlan& plan : common_plans()) EXPECT_FALSE(cuda_code(plan).text.empty());
}

}  // namespace
}  // namespace cupola
