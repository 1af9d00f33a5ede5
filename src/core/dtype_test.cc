#include "cupola/dtype.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cupola/error.h"

namespace cupola {
namespace {

DType of(char code) { return *find_dtype(code); }

char promoted(char a, char b) { return code_of(promote_types(of(a), of(b))); }

TEST(DType, NamesAndCodesAreFoundAgain) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(find_dtype(name_of(dtype)), dtype);
    EXPECT_EQ(find_dtype(code_of(dtype)), dtype);
  }
  EXPECT_EQ(name_of(DType::bool_), "bool");
  EXPECT_EQ(find_dtype("float31"), std::nullopt);
  EXPECT_EQ(find_dtype('x'), std::nullopt);
}

TEST(DType, SizesAndKinds) {
  EXPECT_EQ(item_size(DType::bfloat16), 2u);
  EXPECT_EQ(item_size(DType::complex128), 16u);
  EXPECT_EQ(kind_of(DType::uint32), DTypeKind::unsigned_integer);
  EXPECT_EQ(real_dtype(DType::complex64), DType::float32);
  EXPECT_EQ(complex_dtype(DType::bfloat16), DType::complex64);
  EXPECT_EQ(complex_dtype(DType::int8), DType::complex128);
}

// Row and column by "?bBhHiIqQeEfdFD"; NumPy 2's table, with bfloat16 in the place of float16.
TEST(Promotion, TableOfAllPairs) {
  const std::string codes = "?bBhHiIqQeEfdFD";
  const std::vector<std::string> rows = {"?bBhHiIqQeEfdFD", "bbhhiiqqdeEfdFD", "BhBhHiIqQeEfdFD",
                                         "hhhhiiqqdfffdFD", "HiHiHiIqQfffdFD", "iiiiiiqqdddddDD",
                                         "IqIqIqIqQddddDD"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < codes.size(); ++j) {
      EXPECT_EQ(promoted(codes[i], codes[j]), rows[i][j]) << codes[i] << " with " << codes[j];
      EXPECT_EQ(promoted(codes[j], codes[i]), rows[i][j]) << codes[j] << " with " << codes[i];
    }
  }
  EXPECT_EQ(promoted('q', 'Q'), 'd');
  EXPECT_EQ(promoted('e', 'E'), 'f');
  EXPECT_EQ(promoted('i', 'f'), 'd');
  EXPECT_EQ(promoted('i', 'F'), 'D');
  EXPECT_EQ(promoted('d', 'F'), 'D');
}

TEST(Casting, SafeAndSameKind) {
  EXPECT_TRUE(can_cast(DType::int64, DType::float64));
  EXPECT_TRUE(can_cast(DType::uint8, DType::bfloat16));
  EXPECT_FALSE(can_cast(DType::int16, DType::float16));
  EXPECT_FALSE(can_cast(DType::float16, DType::bfloat16));
  EXPECT_FALSE(can_cast(DType::float64, DType::float32));
  EXPECT_TRUE(can_cast(DType::float64, DType::float32, Casting::same_kind));
  EXPECT_TRUE(can_cast(DType::uint64, DType::int8, Casting::same_kind));
  EXPECT_FALSE(can_cast(DType::int8, DType::uint64, Casting::same_kind));
  EXPECT_FALSE(can_cast(DType::complex64, DType::float64, Casting::same_kind));
  EXPECT_TRUE(can_cast(DType::complex64, DType::bool_, Casting::unsafe_));
  EXPECT_FALSE(can_cast(DType::int8, DType::int16, Casting::equiv));
}

TEST(Casting, NamesAreParsed) {
  EXPECT_EQ(parse_casting("unsafe"), Casting::unsafe_);
  EXPECT_EQ(name_of(Casting::same_kind), "same_kind");
  EXPECT_THROW(parse_casting("loose"), ValueError);
}

TEST(ResultType, WeakScalarsKeepTheirKindOnly) {
  const auto result = [](std::vector<DType> typed, std::vector<WeakKind> weak) {
    return result_type(typed, weak);
  };
  EXPECT_EQ(result({DType::int8}, {WeakKind::integer}), DType::int8);
  EXPECT_EQ(result({DType::bool_}, {WeakKind::integer}), DType::int64);
  EXPECT_EQ(result({DType::uint8}, {WeakKind::floating}), DType::float64);
  EXPECT_EQ(result({DType::float16}, {WeakKind::integer, WeakKind::floating}), DType::float16);
  EXPECT_EQ(result({DType::float32}, {WeakKind::complex}), DType::complex64);
  EXPECT_EQ(result({DType::int8, DType::uint8}, {WeakKind::boolean}), DType::int16);
  EXPECT_EQ(result({}, {WeakKind::integer, WeakKind::boolean}), DType::int64);
  EXPECT_THROW(result({}, {}), ValueError);
}

}  // namespace
}  // namespace cupola
