#include "codegen/user/user_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "codegen/device_tests/nvrtc_test_support.h"
#include "codegen/plan_description.h"
#include "codegen/user/user_words.h"

namespace cupola {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

UserDefinition definition_of(std::string operation, std::string preamble = "") {
  UserDefinition definition;
  definition.name = "k";
  definition.inputs = parse_user_parameters("T x, T y", true);
  definition.outputs = parse_user_parameters("T z", false);
  definition.operation = std::move(operation);
  definition.preamble = std::move(preamble);
  return definition;
}

bool may_fuse_body(std::string operation, std::string preamble = "") {
  return may_fuse(definition_of(std::move(operation), std::move(preamble)));
}

TEST(UserWords, AreWithoutCommentsAndLiterals) {
  EXPECT_THAT(source_words("a1 /* b */ += \"c\\\" d\"// e\n'f' 2.g"),
              ElementsAre("a1", "+", "=", "2", ".", "g"));
  EXPECT_THAT(macros_in("#define A 1\n # define B(x) \\\n  x\nint define;\n#define A 2"),
              ElementsAre("A", "B"));
}

TEST(UserFusion, TakesFunctionsOfElements) {
  EXPECT_TRUE(may_fuse_body("z = x * y"));
  EXPECT_TRUE(may_fuse_body("if (x > y) z = sqrt(x); else { T t = y; z = t; }"));
  EXPECT_TRUE(may_fuse_body("z = 0; for (int i = 0; i < 3; ++i) z += x * i;"));
  EXPECT_TRUE(may_fuse_body("// return threadIdx.x\nz = x"));
  EXPECT_TRUE(may_fuse_body("z = 0;\n#pragma unroll\nfor (int k = 0; k < 3; ++k) z += x;"));
  EXPECT_TRUE(may_fuse_body("z = f(x)", "__device__ float f(float x) { return x; }"));
  EXPECT_TRUE(may_fuse_body("z = F(x)", "#ifndef F\n#define F(x) ((x) + 1)\n#endif"));
  UserDefinition rounded = definition_of("z = x");
  rounded.options = {"--fmad=false"};
  EXPECT_TRUE(may_fuse(rounded));
}

TEST(UserFusion, LeavesOthersAlone) {
  for (const char* body :
       {"z = i", "z = x; z += i * 2;", "z = _ind.get()[0]", "if (x) return; z = y",
        "z = threadIdx.x", "__shared__ T s; z = x", "__syncthreads(); z = x",
        "z = __shfl_sync(~0u, x, 0)", "static int calls; z = x", "printf(\"%f\", x)",
        "asm(\"\"); z = x", "#define A\nz = x", "z = atomicAdd(&x, y)", "z = __LINE__"}) {
    EXPECT_FALSE(may_fuse_body(body)) << body;
  }
  for (const char* preamble :
       {"#include <math.h>", "#pragma once", "#undef M_PI", "#define LEAVE return",
        "__device__ float min(float a, int b) { return a; }", "extern \"C\" __device__ int f();",
        "__device__ int f() { return threadIdx.x; }", "__device__ float expf(int);"}) {
    EXPECT_FALSE(may_fuse_body("z = x", preamble)) << preamble;
  }
  const auto refused = [](auto change) {
    UserDefinition definition = definition_of("z = x");
    change(definition);
    return !may_fuse(definition);
  };
  EXPECT_TRUE(refused([](UserDefinition& d) { d.loop_prep = "int k;"; }));
  EXPECT_TRUE(refused([](UserDefinition& d) { d.after_loop = "int k;"; }));
  EXPECT_TRUE(refused([](UserDefinition& d) { d.options = {"-DA"}; }));
  EXPECT_TRUE(refused([](UserDefinition& d) { d.options = {"--fmad=true"}; }));
  EXPECT_TRUE(refused([](UserDefinition& d) { d.inputs[0].is_raw = true; }));
  EXPECT_TRUE(refused([](UserDefinition& d) { d.outputs[0].is_raw = true; }));
  EXPECT_TRUE(refused([](UserDefinition& d) { d.inputs[0].is_const = false; }));
  EXPECT_TRUE(refused([](UserDefinition& d) { d.inputs.clear(); }));
}

TEST(UserFusion, TakesReductionsOfValues) {
  const auto fuses = [](auto change) {
    UserDefinition definition =
        plans::user_reduction("T x, S y", "T z", "x * y", "a + b", "z = a / y");
    change(definition);
    return may_fuse(definition);
  };
  EXPECT_TRUE(fuses([](UserDefinition&) {}));
  for (const char* type : {"T", "S", "double", "float32", "complex<float>", "long long"}) {
    EXPECT_TRUE(fuses([&](UserDefinition& d) { d.reduce_type = type; })) << type;
  }
  EXPECT_TRUE(fuses([](UserDefinition& d) { d.map = "_type_reduce(__expf(x))"; }));
  EXPECT_FALSE(fuses([](UserDefinition& d) { d.reduce_type = "Best<T>"; }));
  for (const char* part :
       {"x * _J", "x + _i", "_in_ind.size()", "threadIdx.x", "x + i", "[&] { return x; }()"}) {
    EXPECT_FALSE(fuses([&](UserDefinition& d) { d.map = part; })) << part;
    EXPECT_FALSE(fuses([&](UserDefinition& d) { d.reduce = part; })) << part;
    EXPECT_FALSE(fuses([&](UserDefinition& d) { d.post_map = part; })) << part;
  }
  EXPECT_FALSE(fuses([](UserDefinition& d) { d.inputs[1].is_raw = true; }));
  EXPECT_FALSE(fuses([](UserDefinition& d) { d.options = {"-DA"}; }));
}

TEST(UserFusion, KnowsWhatFinishes) {
  UserDefinition definition = plans::user_reduction("T x, T a, T y", "T z", "x", "a + b", "");
  const auto finishing = [&](const char* text) {
    definition.post_map = text;
    return finishing_inputs(definition);
  };
  EXPECT_THAT(finishing("z = a  // x"), ElementsAre());
  EXPECT_THAT(finishing("z = a * y"), ElementsAre(2));
  EXPECT_THAT(finishing("z = x(y, x)"), ElementsAre(0, 2));
  const auto assigns = [&](const char* text) {
    definition.post_map = text;
    return assigns_output(definition);
  };
  for (const char* text : {"z = a", "z = sqrt(a) / y;", " z = a > 0 ? a : T(0)"}) {
    EXPECT_TRUE(assigns(text)) << text;
  }
  for (const char* text : {"", "z", "z == a", "z += a", "if (a > 0) z = a", "z = a; z += 1",
                           "z = z + a", "z = a; x", "f(z)"}) {
    EXPECT_FALSE(assigns(text)) << text;
  }
  definition.outputs.push_back(definition.outputs[0]);
  definition.outputs[1].name = "w";
  EXPECT_FALSE(assigns("z = a"));
}

TEST(UserFunctions, OfReductionsHaveTheTypesOfValues) {
  const auto f32 = DType::float32;
  const UserDefinition definition =
      plans::user_reduction("T x, S y", "bool z", "x * y", "a + b", "z = a > y", "float64");
  const std::vector<UserFunction> functions =
      make_user_functions(definition, std::vector{f32, DType::int8, DType::bool_});
  ASSERT_EQ(functions.size(), 3u);
  EXPECT_THAT(functions[kUserMap].inputs, ElementsAre(f32, DType::int8));
  EXPECT_THAT(functions[kUserMap].outputs, ElementsAre(DType::float64));
  EXPECT_THAT(functions[kUserCombine].inputs, ElementsAre(DType::float64, DType::float64));
  EXPECT_THAT(functions[kUserFinish].inputs, ElementsAre(DType::float64, DType::int8));
  EXPECT_THAT(functions[kUserFinish].outputs, ElementsAre(DType::bool_));
  EXPECT_THAT(functions[kUserCombine].definition, HasSubstr("typedef float T;"));
}

TEST(UserFusion, KnowsShortBodies) {
  EXPECT_TRUE(is_short_body("z = x > y ? T(x) : min(x, y)"));
  EXPECT_FALSE(is_short_body("z = exp(x)"));
  EXPECT_FALSE(is_short_body("while (x > z) z += y;"));
}

TEST(UserFusion, KnowsWhatMayNotEnd) {
  EXPECT_FALSE(may_loop("z = f(x) + sqrt(y)"));
  EXPECT_TRUE(may_loop("do z = x; while (z < 1);"));
  const auto loops = [](const char* preamble) {
    return make_user_function(definition_of("z = f(x)", preamble), std::vector(3, DType::float32))
        .may_loop;
  };
  EXPECT_FALSE(loops("__device__ float f(float x) { return sqrt(x); }"));
  EXPECT_TRUE(loops("__device__ float f(float x) { return x ? f(x - 1) : 0; }"));
  EXPECT_TRUE(loops("struct S { static __device__ float f(float x) { return S::f(x); } };"));
}

TEST(UserFunctions, DifferWhereTheirTextsDo) {
  const std::vector<DType> f32(3, DType::float32), f64(3, DType::float64);
  const UserFunction function = make_user_function(definition_of("z = x"), f32);
  EXPECT_EQ(function.key, make_user_function(definition_of("z = x"), f32).key);
  EXPECT_NE(function.key, make_user_function(definition_of("z = y"), f32).key);
  EXPECT_NE(function.key, make_user_function(definition_of("z = x", "// p"), f32).key);
  EXPECT_NE(function.key, make_user_function(definition_of("z = x"), f64).key);
  UserDefinition named = definition_of("z = x");
  named.name = "other";
  EXPECT_NE(function.key, make_user_function(named, f32).key) << "it is shown";
}

TEST(UserFunctions, ArePartOfPlans) {
  const KernelPlan plan = plan_of("users");
  const auto differs = [&](auto change) {
    KernelPlan other = plan;
    change(other);
    return other != plan && plan_key(other) != plan_key(plan) && hash_of(other) != hash_of(plan);
  };
  EXPECT_TRUE(differs([](KernelPlan& p) { p.calls[0].function = p.calls[1].function; }));
  EXPECT_TRUE(differs([](KernelPlan& p) { p.calls[0].args[1] = 0; }));
  EXPECT_TRUE(differs([](KernelPlan& p) { p.calls[0].result = 1; }));
  EXPECT_TRUE(differs([](KernelPlan& p) { p.calls.push_back(p.calls[0]); }));
  EXPECT_EQ(operations_text(plan, 9), "add, k, k, multiply, k");
  const std::string text = cuda_plan_text(plan);
  const auto count = [&](std::string_view part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("most = limit"), 1) << "a function that is called twice stands there once";
  EXPECT_EQ(count("#undef FACTOR"), 2);
}

TEST(UserFunctions, SharePreamblesOfTheLibrary) {
  const std::string shared =
      std::string(kSharedPreamble) + "0 { CUPOLA_FN int one() { return 1; } }";
  const std::vector<DType> f32(3, DType::float32);
  const UserFunction a =
      make_user_function(definition_of("z = cupola_device::vectorized_0::one()", shared), f32);
  const UserFunction b =
      make_user_function(definition_of("z = x + cupola_device::vectorized_0::one()", shared), f32);
  PlanBuilder builder(PlanKind::map, 1);
  const auto x = builder.load(DType::float32, plans::kContiguous);
  const auto y = builder.user(a, {x, x});
  const KernelPlan plan = builder.store(builder.user(b, {y, x}), plans::kContiguous).take();
  const std::string text = cuda_plan_text(plan);
  EXPECT_EQ(text.find(shared), text.rfind(shared));
  const Nvrtc nvrtc;
  if (!nvrtc.is_open()) GTEST_SKIP() << "NVRTC is not installed";
  EXPECT_EQ(nvrtc.compile(cuda_code(plan).text, {"--gpu-architecture=compute_90", "--std=c++20",
                                                 "--minimal", "--diag-suppress=177"}),
            "");
}

std::string log_of_function(const UserDefinition& definition) {
  const Nvrtc nvrtc;
  const UserFunction function = make_user_function(definition, std::vector(3, DType::float32));
  const UserFunction* const functions[] = {&function};
  const UserText text = user_function_text(functions);
  std::vector<const char*> options(std::begin(kFunctionOptions), std::end(kFunctionOptions));
  options.push_back("--gpu-architecture=compute_90");
  return nvrtc.compile(text.prelude + "\n#line 1\n" + text.text, options);
}

TEST(UserFunctions, AreCompiledAlone) {
  if (!Nvrtc().is_open()) GTEST_SKIP() << "NVRTC is not installed";
  EXPECT_EQ(log_of_function(definition_of("z = x + fmaf(x, y, z)")), "");
  EXPECT_EQ(log_of_function(definition_of("z = x * N", "#define N 2")), "");
  for (const auto& [body, preamble] : std::vector<std::pair<const char*, const char*>>{
           {"z = unknown", ""},
           {"if (x > y) continue; z = x", ""},
           {"for (int i = 0; i < 2; ++i) z = x; z += i", ""},
           {"x = y; z = x", ""},
           {"z = ::own(x)", "__device__ float own(float x) { return x; }"},
           {"z = x * M_PI", "#define M_PI 3"}}) {
    EXPECT_THAT(log_of_function(definition_of(body, preamble)), HasSubstr("error")) << body;
  }
}

}  // namespace
}  // namespace cupola
