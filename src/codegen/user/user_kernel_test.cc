#include "codegen/user/user_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/message_of.h"
#include "codegen/device_tests/nvrtc_test_support.h"
#include "cupola/error.h"

namespace cupola {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Not;

std::string refusal(std::string_view list) {
  return message_of<ValueError>([&] { parse_user_parameters(list, true); });
}

UserDefinition elementwise(std::string_view in, std::string_view out, std::string operation) {
  UserDefinition definition;
  definition.name = "k";
  definition.inputs = parse_user_parameters(in, true);
  definition.outputs = parse_user_parameters(out, false);
  definition.operation = std::move(operation);
  definition.check();
  return definition;
}

UserArgumentType array_of(DType dtype) { return {dtype, true, std::nullopt}; }
UserArgumentType python(WeakKind kind, DType dtype) { return {dtype, false, kind}; }
UserArgumentType numpy(DType dtype) { return {dtype, false, std::nullopt}; }
const UserArgumentType kAbsent{};

TEST(UserParameters, HaveTypesNamesAndWords) {
  const auto parameters = parse_user_parameters(" float32 x,raw T  y ,\n_non_const int32 z", true);
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].name, "x");
  EXPECT_EQ(parameters[0].dtype, DType::float32);
  EXPECT_TRUE(parameters[0].is_const);
  EXPECT_FALSE(parameters[0].is_raw);
  EXPECT_TRUE(parameters[1].is_raw);
  EXPECT_TRUE(parameters[1].is_template());
  EXPECT_EQ(parameters[1].type, "T");
  EXPECT_FALSE(parameters[2].is_const);
  EXPECT_FALSE(parse_user_parameters("T y", false)[0].is_const);
  EXPECT_TRUE(parse_user_parameters(" ", true).empty());
}

TEST(UserParameters, NamesOfTypesAreNumPys) {
  EXPECT_EQ(find_user_type("float"), DType::float64);
  EXPECT_EQ(find_user_type("longlong"), DType::int64);
  EXPECT_EQ(find_user_type("half"), DType::float16);
  EXPECT_EQ(find_user_type("complex64"), DType::complex64);
  EXPECT_EQ(find_user_type("bool"), DType::bool_);
  EXPECT_EQ(find_user_type("float33"), std::nullopt);
}

TEST(UserParameters, MistakesAreNamed) {
  EXPECT_THAT(refusal("float33 x"), AllOf(HasSubstr("'float33 x'"), HasSubstr("unknown type")));
  EXPECT_THAT(refusal("T x, row T y"), HasSubstr("unknown word 'row'"));
  EXPECT_THAT(refusal("T"), HasSubstr("a type and a name"));
  EXPECT_THAT(refusal("T x,"), HasSubstr("a type and a name"));
  EXPECT_THAT(refusal("T i"), HasSubstr("reserved"));
  EXPECT_THAT(refusal("T _x"), HasSubstr("reserved"));
  EXPECT_THAT(refusal("T 2x"), HasSubstr("no name"));
  EXPECT_THAT(message_of<ValueError>([] { elementwise("T x", "T x", ""); }),
              HasSubstr("two parameters have the name 'x'"));
  UserDefinition definition;
  definition.name = "a b";
  EXPECT_THAT(message_of<ValueError>([&] { definition.check(); }), HasSubstr("'a b'"));
}

TEST(UserTypes, AreDecidedByArraysThenByScalars) {
  const UserDefinition definition = elementwise("T x, T y, U z", "T w", "");
  using Types = std::vector<DType>;
  EXPECT_EQ(
      resolve_user_types(definition, std::vector{array_of(DType::float32),
                                                 python(WeakKind::floating, DType::float64),
                                                 python(WeakKind::integer, DType::int64), kAbsent}),
      (Types{DType::float32, DType::float32, DType::int64, DType::float32}));
  EXPECT_EQ(resolve_user_types(
                definition, std::vector{numpy(DType::int8), python(WeakKind::integer, DType::int64),
                                        numpy(DType::bool_), array_of(DType::int16)}),
            (Types{DType::int16, DType::int16, DType::bool_, DType::int16}));
  EXPECT_EQ(resolve_user_types(definition, std::vector{numpy(DType::int8), numpy(DType::float32),
                                                       numpy(DType::bool_), kAbsent}),
            (Types{DType::float32, DType::float32, DType::bool_, DType::float32}));
}

TEST(UserTypes, MustAgree) {
  const UserDefinition same = elementwise("T x, T y", "T z", "");
  EXPECT_THAT(message_of<TypeError>([&] {
                resolve_user_types(
                    same, std::vector{array_of(DType::float32), array_of(DType::float64), kAbsent});
              }),
              AllOf(HasSubstr("y is an array of float64"), HasSubstr("float32")));
  const UserDefinition fixed = elementwise("float32 x", "U z", "");
  EXPECT_THAT(message_of<TypeError>([&] {
                resolve_user_types(fixed, std::vector{array_of(DType::int32), kAbsent});
              }),
              AllOf(HasSubstr("x is an array of int32"), HasSubstr("float32 x")));
  EXPECT_THAT(message_of<TypeError>([&] {
                resolve_user_types(fixed, std::vector{array_of(DType::float32), kAbsent});
              }),
              HasSubstr("no argument decides the type U"));
}

TEST(UserWords, FollowEachOther) {
  const UserDefinition definition = elementwise("T x, T s, raw T r", "T z", "");
  UserVariant variant;
  variant.rank = 2;
  variant.arguments = {{DType::float32, UserForm::strided, 0, false},
                       {DType::float32, UserForm::value, 0, false},
                       {DType::float32, UserForm::raw, 3, false},
                       {DType::float32, UserForm::contiguous, 0, false}};
  EXPECT_EQ(user_word_places(definition, variant), (std::vector<int>{3, 6, 8, 16, 17}));
}

UserVariant flat(std::size_t count, DType dtype) {
  UserVariant variant;
  variant.arguments.assign(count, {dtype, UserForm::contiguous, 0, false});
  return variant;
}

TEST(UserText, HoldsTheBodyAsWritten) {
  UserDefinition definition = elementwise("T x, float32 y", "T z", "z = x + y  // sum");
  definition.preamble = "// before";
  definition.loop_prep = "int first = 1;";
  definition.after_loop = "first = 0;";
  const UserVariant variant = flat(3, DType::float32);
  const UserText cuda = user_kernel_text(definition, variant, UserTarget::cuda);
  EXPECT_EQ(cuda.text,
            "typedef float T;\n"
            "// before\n"
            "extern \"C\" __global__ void k(\n"
            "    const __grid_constant__ cupola_user::Words<5> _words) {\n"
            "  CIndexer<1, false> _ind(_words.at[0], _words.at + 1);\n"
            "  const T* const _p_x = _words.pointer<const T>(2);\n"
            "  const float* const _p_y = _words.pointer<const float>(3);\n"
            "  T* const _p_z = _words.pointer<T>(4);\n"
            "int first = 1;\n;\n"
            "  for (ptrdiff_t i = static_cast<ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
            "       i < _ind.size(); i += static_cast<ptrdiff_t>(gridDim.x) * blockDim.x) {\n"
            "    _ind.set(i);\n"
            "    const T x = _p_x[i];\n"
            "    const float y = _p_y[i];\n"
            "    T& z = _p_z[i];\n"
            "z = x + y  // sum\n;\n"
            "  }\n"
            "first = 0;\n;\n"
            "}\n");
  EXPECT_THAT(cuda.prelude, AllOf(HasSubstr("class CArray"), Not(HasSubstr("#include"))));
  const UserText host = user_kernel_text(definition, variant, UserTarget::host);
  EXPECT_THAT(host.text, AllOf(HasSubstr("z = x + y  // sum\n"), HasSubstr("cupola_k_bytes = 40")));
}

TEST(UserText, ComplexMathStandsThereOnlyWhereItIsUsed) {
  const UserDefinition definition = elementwise("T x", "T z", "z = x");
  const auto prelude = [&](DType dtype) {
    return user_kernel_text(definition, flat(2, dtype), UserTarget::cuda).prelude;
  };
  EXPECT_THAT(prelude(DType::float32), Not(HasSubstr("namespace thrust")));
  EXPECT_THAT(prelude(DType::complex64), HasSubstr("namespace thrust"));
}

// ---- texts that NVRTC must accept

struct Compiled {
  const char* name;
  UserDefinition definition;
  UserVariant variant;
};

UserDefinition reduction(std::string_view in, std::string_view out, std::string map,
                         std::string reduce, std::string post_map) {
  UserDefinition definition = elementwise(in, out, "");
  definition.is_reduction = true;
  definition.map = std::move(map);
  definition.reduce = std::move(reduce);
  definition.post_map = std::move(post_map);
  return definition;
}

UserVariant reducing(std::vector<DType> types, int kept, int reduced) {
  UserVariant variant;
  for (const DType dtype : types) {
    variant.arguments.push_back({dtype, UserForm::strided, 0, false});
  }
  variant.rank = static_cast<std::uint8_t>(kept);
  variant.reduced_rank = static_cast<std::uint8_t>(reduced);
  return variant;
}

std::vector<Compiled> texts() {
  std::vector<Compiled> list;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    list.push_back({"every type", elementwise("T x, T y", "T z", "z = x; z = y"), flat(3, dtype)});
    list.back().variant.arguments[1].form = UserForm::value;
    if (dtype == DType::bool_) continue;
    list.push_back(
        {"sums", reduction("T x", "T y", "x", "a + b", "y = a"), reducing({dtype, dtype}, 2, 1)});
    list.back().definition.identity = "0";
  }
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    list.push_back({"math",
                    elementwise("T x, T y", "T z",
                                "z = exp(x) + max(x, y) * sqrt(abs(y)) - T(1) / (x + T(2));\n"
                                "if (isnan(z)) { z = T(0); continue; }\nz += x < y ? x : y"),
                    flat(3, dtype)});
  }
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    list.push_back(
        {"complex",
         elementwise("T x, T y", "T z",
                     "z = exp(x) * conj(y) + log(x) / T(2.0, 1.0) - pow(x, y) * abs(x);\n"
                     "z += T(x.real(), arg(y)); z = thrust::sqrt(z) + polar(x.real(), y.imag());\n"
                     "if (isnan(z) || x == y) z = x; z = 1.0f + z"),
         flat(3, dtype)});
  }
  Compiled raw{"raw",
               elementwise("raw T x, raw S at", "raw T y",
                           "const ptrdiff_t place[] = {i % x.shape()[0], 0};\n"
                           "atomicAdd(&y[at[i]], x[place] + x[i] * x.size());\n"
                           "const ptrdiff_t* where = _ind.get(); (void)where"),
               {}};
  raw.variant.arguments = {{DType::float32, UserForm::raw, 2, false},
                           {DType::int32, UserForm::raw, 1, true},
                           {DType::float32, UserForm::raw, 1, true}};
  list.push_back(raw);
  for (const DType dtype : {DType::int32, DType::uint32, DType::int64, DType::uint64,
                            DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    Compiled atomics{"atomics", elementwise("T x", "raw T y", "atomicAdd(&y[0], x)"), {}};
    if (dtype != DType::uint64) atomics.definition.operation += "; atomicSub(&y[0], 1)";
    atomics.definition.operation += "; atomicMax(&y[0], x); atomicMin(&y[0], x)";
    atomics.variant.arguments = {{dtype, UserForm::contiguous, 0, false},
                                 {dtype, UserForm::raw, 1, true}};
    list.push_back(atomics);
  }
  Compiled own{"atomics of the user's own",
               elementwise("float32 x", "raw float32 y", "atomicMax(&y[0], x)"),
               {}};
  own.definition.preamble =
      "__device__ float atomicMax(float* place, float value) { return *place = value; }";
  own.variant.arguments = {{DType::float32, UserForm::contiguous, 0, false},
                           {DType::float32, UserForm::raw, 1, true}};
  list.push_back(own);
  Compiled strided{"strided", elementwise("T x", "T y", "y = x * _ind.get()[1]"),
                   flat(2, DType::float64)};
  strided.variant.rank = 3;
  strided.variant.arguments[0].form = UserForm::strided;
  list.push_back(strided);
  strided.variant.is_wide = true;
  list.push_back(strided);
  Compiled argmax{
      "argmax",
      reduction("T x", "int64 y", "Best(x, _J)", "best(a, b)", "if (_out_ind.size() > 0) y = a.at"),
      reducing({DType::float32, DType::int64}, 1, 2)};
  argmax.definition.reduce_type = "Best";
  argmax.definition.preamble =
      "struct Best { T value; long long at; __device__ Best() {}\n"
      "  __device__ Best(T v, long long k) : value(v), at(k) {} };\n"
      "__device__ Best best(const Best& a, const Best& b) { return b.value > a.value ? b : a; }";
  list.push_back(argmax);
  return list;
}

class EveryUserText : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryUserText, Compiles) {
  const Nvrtc nvrtc;
  if (!nvrtc.is_open()) GTEST_SKIP() << "NVRTC is not installed";
  const std::string architecture = std::string("--gpu-architecture=") + GetParam();
  for (const Compiled& each : texts()) {
    const UserText text = user_kernel_text(each.definition, each.variant, UserTarget::cuda);
    const std::string log = nvrtc.compile(text.prelude + "\n#line 1\n" + text.text,
                                          {architecture.c_str(), "--std=c++20"});
    if (log.find("invalid value for --gpu-architecture") != log.npos) GTEST_SKIP() << log;
    EXPECT_THAT(log, Not(HasSubstr("error"))) << each.name << "\n" << text.text;
  }
}

TEST(UserText, IsSeenToBeWrong) {
  const Nvrtc nvrtc;
  if (!nvrtc.is_open()) GTEST_SKIP() << "NVRTC is not installed";
  const UserDefinition wrong = elementwise("T x", "T y", "\ny = undefined_name;");
  const UserText text = user_kernel_text(wrong, flat(2, DType::float32), UserTarget::cuda);
  const std::string log = nvrtc.compile(text.prelude + "\n#line 1\n" + text.text,
                                        {"--gpu-architecture=compute_90", "--std=c++20"});
  // The line of the text, in which those of the prelude do not count.
  const std::size_t at = text.text.find("y = undefined_name");
  const auto line = 1 + std::count(text.text.begin(), text.text.begin() + std::ptrdiff_t(at), '\n');
  EXPECT_THAT(log, AllOf(HasSubstr("error"), HasSubstr("(" + std::to_string(line) + ")")));
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryUserText,
                         ::testing::Values("compute_80", "sm_90", "compute_100", "compute_120"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace cupola
