#include "cupola/ops/random.h"

#include "cupola/ops/manip.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::cpu;
using test::values_of;

constexpr RandomDraw kDraw{0x0123456789ABCDEF, 42};

std::vector<std::uint64_t> bits_of(const RandomDraw& draw, std::int64_t count) {
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(count));
  to_host(random_bits(draw, DType::uint64, {{count}, cpu()}), bits.data(), Dims{8});
  return bits;
}

TEST(Random, NumbersGoByTheRowMajorPosition) {
  const RandomTarget flat{{6000}, cpu()};
  const RandomTarget rows{{20, 300}, cpu()};
  for (const DType dtype : {DType::float32, DType::float64}) {
    const std::vector<double> values = values_of(random_normal(kDraw, dtype, flat));
    EXPECT_EQ(values_of(random_normal(kDraw, dtype, rows)), values);
    const Array columns = empty({300, 20}, dtype, cpu());
    random_normal(kDraw, dtype, {{20, 300}, std::nullopt, transpose(columns)});
    EXPECT_EQ(values_of(transpose(columns)), values);
  }
}

TEST(Random, DrawsAndKeysDiffer) {
  const std::vector<std::uint64_t> bits = bits_of(kDraw, 1000);
  EXPECT_EQ(bits_of(kDraw, 1000), bits);
  EXPECT_NE(bits_of({kDraw.key, 43}, 1000), bits);
  EXPECT_NE(bits_of({kDraw.key + 1, 42}, 1000), bits);
}

// Of large ranges every value is that of 128 random bits: those of the draw, and those of the draw
// 2^63 further on.
TEST(Random, LargeRangesAreOfTwiceAsManyBits) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::int64_t kCount = 1000;
  const std::vector<std::uint64_t> high = bits_of(kDraw, kCount);
  const std::vector<std::uint64_t> low =
      bits_of({kDraw.key, kDraw.number | std::uint64_t{1} << 63}, kCount);
  for (const std::uint64_t range :
       {(std::uint64_t{1} << 33) + 7, (std::uint64_t{1} << 63) + 12345, ~std::uint64_t{0}}) {
    std::vector<std::uint64_t> numbers(kCount);
    to_host(random_integers(kDraw, Scalar(std::uint64_t{0}), Scalar(range), DType::uint64,
                            {{kCount}, cpu()}),
            numbers.data(), Dims{8});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Wide rest = Wide{low[i]} * range >> 64;
      ASSERT_EQ(numbers[i], static_cast<std::uint64_t>((Wide{high[i]} * range + rest) >> 64)) << i;
    }
  }
}

}  // namespace
}  // namespace cupola
