// The generated text compiles for every architecture that is supported, with every combination of
// plan kind, store kind, layout and class of types.

#include "codegen/cuda_text.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/cuda_text_plans.h"
#include "codegen/cuda_traits.h"

namespace cupola {
namespace {

using Program = struct NvrtcProgram*;

// The part of NVRTC that compiles.
class Compiler {
 public:
  Compiler() {
    for (const char* name :
         {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library_) break;
    }
    if (!library_) return;
    find(create_, "nvrtcCreateProgram");
    find(compile_, "nvrtcCompileProgram");
    find(destroy_, "nvrtcDestroyProgram");
    find(log_size_, "nvrtcGetProgramLogSize");
    find(log_, "nvrtcGetProgramLog");
  }
  bool usable() const { return library_ != nullptr; }

  // The log, or nothing when all went well.
  std::string compile(const std::string& text, int architecture) const {
    Program program = nullptr;
    if (create_(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) return "create";
    const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
    const char* options[] = {target.c_str(), "--std=c++20", "--fmad=false", "--minimal",
                             "--diag-suppress=177"};
    const int status = compile_(program, 5, options);
    std::size_t size = 0;
    log_size_(program, &size);
    std::string log(size, '\0');
    log_(program, log.data());
    destroy_(&program);
    if (status == 0) return {};
    return log;
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function) library_ = nullptr;
  }

  void* library_ = nullptr;
  int (*create_)(Program*, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*compile_)(Program, int, const char* const*) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*log_size_)(Program, std::size_t*) = nullptr;
  int (*log_)(Program, char*) = nullptr;
};

const Compiler& compiler() {
  static const Compiler instance;
  return instance;
}

class CudaText : public testing::TestWithParam<NamedPlan> {};

TEST_P(CudaText, Compiles) {
  if (!compiler().usable()) GTEST_SKIP() << "NVRTC cannot be opened";
  const KernelCode code = cuda_code(GetParam().plan);
  EXPECT_EQ(code.cuda_text.find("#include"), std::string::npos);
  if (const char* folder = std::getenv("CUPOLA_TEST_TEXT_FOLDER")) {
    std::ofstream(std::string(folder) + "/" + GetParam().name + ".cu") << code.cuda_text;
  }
  const bool all = GetParam().every_architecture;
  for (const int architecture : all ? std::vector<int>{80, 90, 100, 120} : std::vector<int>{90}) {
    EXPECT_EQ(compiler().compile(code.cuda_text, architecture), "") << "sm_" << architecture;
  }
}

TEST(CudaTextOfJoinedLaunches, Compiles) {
  if (!compiler().usable()) GTEST_SKIP() << "NVRTC cannot be opened";
  for (const NamedPlan& named : cuda_text_plans()) {
    const CudaTraits traits = cuda_traits(named.plan);
    if (!traits.joins || !named.every_architecture) continue;
    const std::size_t number = traits.kernels.size();  // of the first
    const std::string chosen = "#define CUPOLA_KERNEL " + std::to_string(number) + "\n";
    const std::string text = cuda_code(named.plan).cuda_text;
    EXPECT_EQ(compiler().compile(chosen + text, 90), "") << named.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, CudaText, testing::ValuesIn(cuda_text_plans()),
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

TEST(PlanKey, HoldsEveryField) {
  const KernelPlan plan = plan_of("scatter_add");
  const std::string key = plan_key(plan);
  const std::uint64_t hash = hash_of(plan);
  const auto changed = [&](auto change) {
    KernelPlan other = plan;
    change(other);
    return plan_key(other) != key && hash_of(other) != hash;
  };
  EXPECT_TRUE(changed([](KernelPlan& p) { p.wide_index = true; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.rank = 3; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.accumulator = DType::int8; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.combine = UfuncId::multiply; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.inputs[0].aligned16 = true; }));
  EXPECT_TRUE(changed([](KernelPlan& p) { p.inputs[0].layout = OperandLayout::broadcast; }));
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
