// The generated text compiles for every architecture that is supported, with every combination of
// plan kind, store kind, layout and class of types.

#include "codegen/cuda/cuda_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <variant>
#include <vector>

#include "codegen/cuda/cuda_text_plans.h"
#include "codegen/cuda/families/family.h"
#include "codegen/device_tests/nvrtc_test_support.h"

namespace cupola {
namespace {

const Nvrtc& nvrtc() {
  static const Nvrtc instance;
  return instance;
}

// The log, or nothing when it compiles. What the device functions warn of is not looked at.
std::string compile(const std::string& text, int architecture) {
  const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
  return nvrtc().compile(
      text, {target.c_str(), "--std=c++20", "--fmad=false", "--minimal", "--disable-warnings"});
}

class CudaText : public ::testing::TestWithParam<NamedPlan> {};

TEST_P(CudaText, Compiles) {
  if (!nvrtc().is_open()) GTEST_SKIP() << "NVRTC is not installed";
  const CudaCode code = cuda_code(GetParam().plan);
  EXPECT_EQ(code.text.find("#include"), std::string::npos);
  if (const char* folder = std::getenv("CUPOLA_TEST_TEXT_FOLDER")) {
    std::ofstream(std::string(folder) + "/" + GetParam().name + ".cu") << code.text;
  }
  const bool all = GetParam().every_architecture;
  for (const int architecture : all ? std::vector<int>{80, 90, 100, 120} : std::vector<int>{90}) {
    EXPECT_EQ(compile(code.text, architecture), "") << "sm_" << architecture;
  }
}

TEST(CudaTextOfJoinedLaunches, Compiles) {
  if (!nvrtc().is_open()) GTEST_SKIP() << "NVRTC is not installed";
  for (const NamedPlan& named : cuda_text_plans()) {
    const auto family = cuda_family(named.plan);
    if (!family->joins() || !named.every_architecture) continue;
    const std::size_t number = family->kernels().size();  // of the first
    const std::string chosen = "#define CUPOLA_KERNEL " + std::to_string(number) + "\n";
    const std::string text = cuda_code(named.plan).text;
    EXPECT_EQ(compile(chosen + text, 90), "") << named.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, CudaText, ::testing::ValuesIn(cuda_text_plans()),
                         [](const auto& test) { return test.param.name; });

// The generated part of a few kernels, so that a change of it is seen. With CUPOLA_UPDATE_GOLDEN=1
// the files are written instead.
TEST(CudaTextGolden, IsUnchanged) {
  // The build's definition does not hold on a machine to which the program was carried.
  const char* given = std::getenv("CUPOLA_GOLDEN_FOLDER");
  const std::string folder = given ? given : CUPOLA_GOLDEN_FOLDER;
  const bool update = std::getenv("CUPOLA_UPDATE_GOLDEN") != nullptr;
  for (const NamedPlan& named : cuda_text_plans()) {
    if (!named.golden) continue;
    const std::string path = folder + "/cuda_" + named.name + ".cu";
    const std::string text = cuda_plan_text(named.plan);
    if (update) {
      std::ofstream(path) << text;
      continue;
    }
    std::ifstream file(path);
    std::stringstream golden;
    golden << file.rdbuf();
    EXPECT_EQ(text, golden.str()) << path;
  }
}

TEST(PlanKey, DiffersForDifferentPlans) {
  const std::vector<NamedPlan> plans = cuda_text_plans();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (std::size_t j = 0; j < plans.size(); ++j) {
      const bool same = plans[i].plan == plans[j].plan;
      EXPECT_EQ(plan_key(plans[i].plan) == plan_key(plans[j].plan), same)
          << plans[i].name << " " << plans[j].name;
      EXPECT_EQ(hash_of(plans[i].plan) == hash_of(plans[j].plan), same)
          << plans[i].name << " " << plans[j].name;
    }
  }
}

// Whether a change gives a plan another key and another hash.
bool tells(const KernelPlan& plan, const std::function<void(KernelPlan&)>& change) {
  KernelPlan other = plan;
  change(other);
  return plan_key(other) != plan_key(plan) && hash_of(other) != hash_of(plan) && !(other == plan);
}

TEST(PlanKey, HoldsWhatOnlyPlansOfAKindHave) {
  const UfuncId add = UfuncId::add;
  const DType f32 = DType::float32;
  std::vector<KernelPlan> plans;
  for (const PlanKind kind : {PlanKind::map, PlanKind::reduce, PlanKind::arg_reduce, PlanKind::scan,
                              PlanKind::segment_reduce, PlanKind::rows}) {
    KernelPlan plan = plan_of("scatter_add");
    plan.own = plan_of_kind(kind, {.ufunc = add, .accumulator = f32}, 1);
    EXPECT_EQ(plan.kind(), kind);
    for (const KernelPlan& other : plans) EXPECT_NE(plan_key(other), plan_key(plan));
    plans.push_back(plan);
    if (plan.combine() == nullptr) continue;
    for (const CombineSpec& combine :
         {CombineSpec{UfuncId::multiply, 0, f32}, CombineSpec{add, 0, DType::float64},
          CombineSpec{add, 1, f32}}) {
      EXPECT_TRUE(tells(plan, [&](KernelPlan& p) { p.own = plan_of_kind(kind, combine, 1); }));
    }
  }
  const auto reduce = [](KernelPlan& plan) -> ReducePlan& {
    return std::get<ReducePlan>(plan.own);
  };
  const Step load{StepKind::load, f32};
  EXPECT_TRUE(tells(plans[1], [&](KernelPlan& p) { reduce(p).reduced_rank = 2; }));
  EXPECT_TRUE(tells(plans[1], [&](KernelPlan& p) { reduce(p).finish.push_back(load); }));
  EXPECT_TRUE(tells(plans[1], [&](KernelPlan& p) { reduce(p).finish_value = 0; }));
  EXPECT_TRUE(tells(plans[2], [](KernelPlan& p) { p.set_reduced_rank(2); }));
  EXPECT_TRUE(tells(plans[5], [](KernelPlan& p) { p.set_reduced_rank(2); }));
}

TEST(PlanKey, HoldsEveryField) {
  const KernelPlan plan = plan_of("scatter_add");
  const auto changed = [&](const auto& change) { return tells(plan, change); };
  EXPECT_TRUE(changed([](KernelPlan& p) { p.wide_index = true; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.rank = 3; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.inputs[0].aligned16 = true; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.inputs[0].layout = OperandLayout::broadcast; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.inputs[0].turned = 1; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.steps[0].index = 1; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.steps[1].args[1] = 0; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.outputs[0].predicate = 3; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.outputs[0].combine = UfuncId::maximum; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.outputs[0].offset = 0; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.outputs[0].operand.aligned16 = true; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.outputs.push_back(p.outputs[0]); }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.steps.pop_back(); }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.scalars.push_back(DType::int8); }));
}

}  // namespace
}  // namespace cupola
