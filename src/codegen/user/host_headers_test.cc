#include "codegen/user/host_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cupola {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(HostHeaders, AreThoseWithTheNames) {
  const auto of = [](std::string_view text) { return host_headers(text, {}); };
  EXPECT_THAT(of("y = x * rsqrt(x) + norma; float x4; charm c; // __vadd4"),
              ElementsAre("language.cuh", "real_functions.cuh"));
  EXPECT_THAT(of("y = __fadd_rn(x, 1)"), ElementsAre("language.cuh", "rounded_arithmetic.cuh"));
  EXPECT_THAT(of("float4 v; float5 w;"), ElementsAre("language.cuh", "vector_types.cuh"));
  EXPECT_THAT(of("char12 float_2 floats dim"), ElementsAre("language.cuh"));
  EXPECT_THAT(of("__popc(x) + erfinv(y)"),
              ElementsAre("language.cuh", "integers.cuh", "normal_distribution.cuh"));
}

TEST(HostHeaders, AreAllWhereNamesMayBeHidden) {
  for (const char* text : {"#include \"own.h\"", "#define CALL(NAME) __##NAME##_rn"}) {
    EXPECT_THAT(host_headers(text, {}), SizeIs(9)) << text;
  }
  const std::vector<std::string> options{"-DCALL=__brev"};
  EXPECT_THAT(host_headers("y = CALL(x)", options), Contains("integers.cuh"));
}

TEST(HostIncludes, HaveSpecialFunctionsWhereTheTextMayUseThem) {
  const auto of = [](std::string_view text) { return host_includes(text, {}); };
  const auto has_all = Not(HasSubstr("#undef _GLIBCXX_USE_STD_SPEC_FUNCS"));
  EXPECT_THAT(of("y = sqrt(x); // std::beta"), Not(has_all));
  EXPECT_THAT(of("y = std::beta(x, 1.0)"), has_all);
  EXPECT_THAT(of("#include <random>\n"), has_all);
  const std::vector<std::string> options{"-DCALL=std::expint"};
  EXPECT_THAT(host_includes("y = CALL(x)", options), has_all);
}

}  // namespace
}  // namespace cupola
