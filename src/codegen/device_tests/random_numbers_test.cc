// Philox against the values of its paper's code, and what becomes of its bits.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "codegen/device/device.cuh"

namespace cupola_device {
namespace {

struct KnownAnswer {
  PhiloxBlock counter;
  uint64_t key;
  std::array<uint32_t, 4> result;
};

// kat_vectors of Random123, philox4x32 10.
constexpr KnownAnswer kKnown[] = {
    {{0, 0, 0, 0}, 0, {0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}},
    {{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
     0xFFFFFFFFFFFFFFFF,
     {0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}},
    {{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344},
     0x299F31D0A4093822,
     {0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}},
};

TEST(Philox, GivesThePublishedValues) {
  for (const KnownAnswer& known : kKnown) {
    const PhiloxBlock block = philox(known.counter, known.key);
    EXPECT_EQ((std::array{block.x, block.y, block.z, block.w}), known.result);
  }
}

// Position 4 * 0x85A308D3243F6A88 and its neighbours, were positions that large, have the third
// known answer; what is left of it in 62 bits:
TEST(RandomNumbers, NeighboursShareABlock) {
  constexpr int64_t kBlock = 0x05A308D3243F6A88;
  constexpr uint64_t kKey = 0x299F31D0A4093822;
  constexpr uint64_t kDraw = 0x0370734413198A2E;
  const PhiloxBlock block = philox({0x243F6A88, 0x05A308D3, 0x13198A2E, 0x03707344}, kKey);
  const std::array<uint32_t, 4> words{block.x, block.y, block.z, block.w};
  for (int i = 0; i < 4; ++i) {
    const uint32_t word = words[static_cast<std::size_t>(i)];
    EXPECT_EQ(random_uint32(4 * kBlock + i, kKey, kDraw), word);
    EXPECT_EQ(random_float32(4 * kBlock + i, kKey, kDraw), std::ldexp(word >> 8, -24));
  }
  const uint64_t first = static_cast<uint64_t>(block.y) << 32 | block.x;
  const uint64_t second = static_cast<uint64_t>(block.w) << 32 | block.z;
  EXPECT_EQ(random_uint64(2 * kBlock, kKey, kDraw), first);
  EXPECT_EQ(random_uint64(2 * kBlock + 1, kKey, kDraw), second);
  EXPECT_EQ(random_float64(2 * kBlock, kKey, kDraw),
            std::ldexp(static_cast<double>(first >> 11), -53));
}

TEST(RandomNumbers, IntervalsAreHalfOpen) {
  EXPECT_EQ(unit_interval(uint32_t{0}), 0.0F);
  EXPECT_EQ(unit_interval(~uint32_t{0}), 1.0F - 0x1p-24F);
  EXPECT_EQ(unit_interval(uint64_t{0}), 0.0);
  EXPECT_EQ(unit_interval(~uint64_t{0}), 1.0 - 0x1p-53);
  EXPECT_EQ(above_zero(uint32_t{0}), 0x1p-33F);
  EXPECT_EQ(above_zero(~uint32_t{0}), 1.0F);
  EXPECT_EQ(above_zero(uint64_t{0}), 0x1p-54);
  EXPECT_EQ(above_zero(~uint64_t{0}), 1.0);
}

// Within two units in the last place, and never above zero.
TEST(RandomNumbers, LogarithmsAreNear) {
  EXPECT_EQ(log_of_unit(1.0F), 0.0F);
  EXPECT_EQ(log_of_unit(1.0), 0.0);
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int shift = i % 60;
    const uint64_t bits = i % 2 == 0 ? state >> shift : ~(state >> shift);
    const float single = above_zero(static_cast<uint32_t>(bits >> 32));
    const double twice = above_zero(bits);
    const double exact = std::log(static_cast<double>(single));
    const long double exact_twice = std::log(static_cast<long double>(twice));
    ASSERT_LE(log_of_unit(single), 0.0F);
    ASSERT_LE(log_of_unit(twice), 0.0);
    ASSERT_LE(std::abs(log_of_unit(single) - exact), -exact * 0x1p-23) << single;
    ASSERT_LE(std::abs(log_of_unit(twice) - exact_twice), -exact_twice * 0x1p-52L) << twice;
  }
}

TEST(RandomNumbers, CosinesAreNear) {
  constexpr long double kTurn = 6.283185307179586476925286766559L;
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto word = static_cast<uint32_t>(state >> 32);
    const long double exact = std::cos(static_cast<long double>(word) * 0x1p-32L * kTurn);
    const long double exact_twice = std::cos(static_cast<long double>(state) * 0x1p-64L * kTurn);
    ASSERT_LE(std::abs(cosine_of_turns(word, 0) - exact), 0x1p-23L) << word;
    ASSERT_LE(std::abs(cosine_of_turns(state, 0) - exact_twice), 0x1p-52L) << state;
  }
}

// Of a pair one has the cosine, the other the sine of the same angle and radius.
TEST(RandomNumbers, PairsOfNormalNumbersHaveTheirRadius) {
  for (int64_t pair = 0; pair < 1000; ++pair) {
    const double x = normal_float64(2 * pair, 5, 7);
    const double y = normal_float64(2 * pair + 1, 5, 7);
    const PhiloxBlock block = random_block(static_cast<uint64_t>(pair), 5, 7);
    const double squared = -2 * std::log(above_zero(joined_words(block.x, block.y)));
    EXPECT_NEAR(x * x + y * y, squared, squared * 1e-14);
  }
}

TEST(RandomNumbers, ProductsHaveUpperBits) {
  EXPECT_EQ(multiply_high(~uint64_t{0}, ~uint64_t{0}), ~uint64_t{0} - 1);
  EXPECT_EQ(multiply_high(uint64_t{1} << 63, 6), 3u);
  EXPECT_EQ(multiply_high(0x123456789ABCDEF0, 0xFEDCBA9876543210), 0x121FA00AD77D7422u);
}

}  // namespace
}  // namespace cupola_device
