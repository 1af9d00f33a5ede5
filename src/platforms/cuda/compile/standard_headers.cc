#include "platforms/cuda/compile/standard_headers.h"

#include <fmt/format.h>

#include <string_view>

namespace cupola::cuda {
namespace {

// NVRTC declares all that a kernel can use of them.
constexpr std::string_view kBuiltIn[] = {"assert.h", "cassert",  "cstdio",          "cstring",
                                         "ctime",    "memory.h", "stdio.h",         "stdlib.h",
                                         "string.h", "time.h",   "cupy/atomics.cuh"};

// A header, and that of CCCL with the same names; some of these have no public name in each
// version.
constexpr std::pair<std::string_view, std::string_view> kOfLibrary[] = {
    {"algorithm", "algorithm"},
    {"array", "array"},
    {"bit", "bit"},
    {"cfloat", "cfloat"},
    {"chrono", "chrono"},
    {"climits", "climits"},
    {"cmath", "cmath"},
    {"concepts", "concepts"},
    {"cstddef", "cstddef"},
    {"cstdint", "cstdint"},
    {"cstdlib", "cstdlib"},
    {"functional", "functional"},
    {"iterator", "iterator"},
    {"limits", "limits"},
    {"numeric", "numeric"},
    {"optional", "optional"},
    {"ratio", "ratio"},
    {"span", "span"},
    {"tuple", "tuple"},
    {"utility", "utility"},
    {"type_traits", "type_traits"},
    {"variant", "variant"},
    {"float.h", "cfloat"},
    {"limits.h", "climits"},
    {"math.h", "cmath"},
    {"stddef.h", "cstddef"},
    {"stdint.h", "cstdint"},
    {"initializer_list", "initializer_list"}};

constexpr std::string_view kMathConstants =
    "#ifndef M_PI\n#define M_E 2.7182818284590452354\n#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n#endif\n"
    "#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)\n#endif\n";

constexpr std::string_view kFloatLimits =
    "#ifndef FLT_MAX\n#define FLT_RADIX 2\n#define FLT_DIG 6\n#define FLT_MANT_DIG 24\n"
    "#define FLT_MIN_EXP (-125)\n#define FLT_MAX_EXP 128\n#define FLT_MIN 1.17549435e-38f\n"
    "#define FLT_MAX 3.40282347e+38f\n#define FLT_EPSILON 1.19209290e-07f\n"
    "#define DBL_DIG 15\n#define DBL_MANT_DIG 53\n#define DBL_MIN_EXP (-1021)\n"
    "#define DBL_MAX_EXP 1024\n#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_EPSILON 2.2204460492503131e-16\n#endif\n";

std::string_view macros_of(std::string_view library) {
  if (library == "cmath") return kMathConstants;
  return library == "cfloat" ? kFloatLimits : "";
}

}  // namespace

std::vector<NvrtcProgram::Header> standard_headers() {
  std::vector<NvrtcProgram::Header> headers;
  for (const std::string_view name : kBuiltIn) {
    headers.push_back({std::string(name), "#pragma once\n"});
  }
  for (const auto& [name, library] : kOfLibrary) {
    headers.push_back(
        {std::string(name),
         fmt::format("#pragma once\n#if __has_include(<cuda/std/{0}>)\n#include <cuda/std/{0}>\n"
                     "#else\n#include <cuda/std/__{0}_>\n#endif\n"
                     "namespace std {{\nusing namespace ::cuda::std;\n}}\n{1}",
                     library, macros_of(library))});
  }
  return headers;
}

}  // namespace cupola::cuda
