#include "codegen/user/host_names.h"

#include <gtest/gtest.h>

namespace cupola {
namespace {

constexpr const char* kInt64 = "#define int64_t cupola_own_int64_t\n";

TEST(HostNames, GivesWayToDeclaredTypes) {
  EXPECT_EQ(host_name_directives("typedef long long int64_t;"), kInt64);
  EXPECT_EQ(host_name_directives("using int64_t = long long;"), kInt64);
  EXPECT_EQ(host_name_directives("typedef long long *places, int64_t; int64_t x;"), kInt64);
  EXPECT_EQ(host_name_directives("typedef char int8_t; /* ; */ typedef long long\nint64_t;"),
            "#define int64_t cupola_own_int64_t\n#define int8_t cupola_own_int8_t\n");
  EXPECT_EQ(host_name_directives("#if X\n#endif\ntypedef long long int64_t;"), kInt64);
}

TEST(HostNames, RemainWhereTheTextOnlyUsesThem) {
  for (const char* text :
       {"", "int64_t x = 1;", "typedef int64_t Size;", "typedef long long Size; int64_t x;",
        "// typedef long long int64_t;\n", "using Size = int64_t;", "typedef long long own_t;"}) {
    EXPECT_EQ(host_name_directives(text), "") << text;
  }
}

TEST(HostNames, RemainWhereTheyMayBeNeeded) {
  EXPECT_EQ(host_name_directives("#ifdef __CUDACC_RTC__\ntypedef long long int64_t;\n#endif"), "");
  EXPECT_EQ(host_name_directives("#include <cstdint>\ntypedef long int64_t;"), "");
}

}  // namespace
}  // namespace cupola
