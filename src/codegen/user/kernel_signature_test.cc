#include "codegen/user/kernel_signature.h"

#include <gtest/gtest.h>

namespace cupola {
namespace {

KernelSignature parse(const std::string& parameters, const std::string& name = "k") {
  const auto found =
      find_kernel_signature("extern \"C\" __global__ void k(" + parameters + ") {}", name);
  EXPECT_TRUE(found.has_value()) << parameters;
  return found.value_or(KernelSignature{});
}

struct Case {
  const char* text;
  bool is_pointer, is_const, is_void;
  std::optional<DType> dtype;
};

TEST(KernelSignature, ReadsTypesOfParameters) {
  const Case cases[] = {
      {"float* x", true, false, false, DType::float32},
      {"const float* x", true, true, false, DType::float32},
      {"float const* __restrict__ x", true, true, false, DType::float32},
      {"const float * const x", true, true, false, DType::float32},
      {"float* const x", true, false, false, DType::float32},
      {"const double x[]", true, true, false, DType::float64},
      {"void* x", true, false, true, std::nullopt},
      {"const void *x", true, true, true, std::nullopt},
      {"float** x", true, false, false, std::nullopt},
      {"int n", false, false, false, DType::int32},
      {"const int n", false, false, false, DType::int32},
      {"unsigned n", false, false, false, DType::uint32},
      {"unsigned", false, false, false, DType::uint32},
      {"long long int n", false, false, false, DType::int64},
      {"unsigned long long n", false, false, false, DType::uint64},
      {"long unsigned int n", false, false, false, DType::uint64},
      {"signed char c", false, false, false, DType::int8},
      {"std::size_t n", false, false, false, DType::uint64},
      {"::std::int16_t n", false, false, false, DType::int16},
      {"bool flag = true", false, false, false, DType::bool_},
      {"__half h", false, false, false, DType::float16},
      {"thrust::complex<float>* z", true, false, false, DType::complex64},
      {"const cuda::std::complex<double> z", false, false, false, DType::complex128},
      {"cuDoubleComplex z", false, false, false, DType::complex128},
      {"struct Options options", false, false, false, std::nullopt},
      {"Options", false, false, false, std::nullopt},
      {"my::Type<int, 3>* p", true, false, false, std::nullopt},
  };
  for (const Case& each : cases) {
    const KernelSignature signature = parse(each.text);
    ASSERT_EQ(signature.parameters.size(), 1u) << each.text;
    const KernelParameter& parameter = signature.parameters.front();
    EXPECT_EQ(parameter.is_pointer, each.is_pointer) << each.text;
    EXPECT_EQ(parameter.is_const, each.is_const) << each.text;
    EXPECT_EQ(parameter.is_void, each.is_void) << each.text;
    EXPECT_EQ(parameter.dtype, each.dtype) << each.text;
  }
}

TEST(KernelSignature, CountsParameters) {
  EXPECT_EQ(parse("").parameters.size(), 0u);
  EXPECT_EQ(parse("void").parameters.size(), 0u);
  EXPECT_EQ(parse("int a, My<int, 2> b, const float* c").parameters.size(), 3u);
  EXPECT_EQ(parse("int a,\n  /* not, this */ float b // nor, that\n").parameters.size(), 2u);
  EXPECT_EQ(parse("const float* x, int n").to_string("k"), "k(const float* x, int n)");
}

TEST(KernelSignature, FindsTheFunctionAmongOthers) {
  const char* text = R"cuda(
    // __global__ void wanted(int wrong);
    #define OTHER __global__ void wanted(int wrong, \
                                         int more)
    const char* literal = "__global__ void wanted(int wrong)";
    __device__ int helper(float x) { return 1; }
    extern "C" { __global__ void __launch_bounds__(256, 2) wanted(float* x) { helper(*x); } }
    __global__ void other(double y) {}
  )cuda";
  const auto found = find_kernel_signature(text, "wanted");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->to_string("wanted"), "wanted(float* x)");
  EXPECT_FALSE(find_kernel_signature(text, "helper").has_value());
  EXPECT_FALSE(find_kernel_signature(text, "missing").has_value());
  EXPECT_FALSE(find_kernel_signature("", "k").has_value());
  EXPECT_FALSE(find_kernel_signature("__global__ void k(", "k").has_value());
}

TEST(KernelSignature, InstancesOfTemplatesHaveTheirTypes) {
  const char* text =
      "namespace ns { template <typename T, int N, class U = int>\n"
      "__global__ void fill(T* x, const U* y, T value, U last, T (&array)[N]) {} }";
  const auto found = find_kernel_signature(text, "ns::fill<double, 3, unsigned char>");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->parameters[0].dtype, DType::float64);
  EXPECT_EQ(found->parameters[1].dtype, DType::uint8);
  EXPECT_TRUE(found->parameters[1].is_const);
  EXPECT_EQ(found->parameters[2].dtype, DType::float64);
  const auto fewer = find_kernel_signature(text, "fill<thrust::complex<float>, 3>");
  ASSERT_TRUE(fewer.has_value());
  EXPECT_EQ(fewer->parameters[0].dtype, DType::complex64);
  EXPECT_EQ(fewer->parameters[3].dtype, std::nullopt);
}

TEST(KernelSignature, OverloadsAreLeftOpen) {
  EXPECT_FALSE(
      find_kernel_signature("__global__ void k(int a) {} __global__ void k(float a) {}", "k")
          .has_value());
  EXPECT_TRUE(find_kernel_signature("__global__ void k(int a); __global__ void k(int b) {}", "k")
                  .has_value());
}

}  // namespace
}  // namespace cupola
