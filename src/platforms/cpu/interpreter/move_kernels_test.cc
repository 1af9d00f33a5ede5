// The loops that move elements, of every instruction set that this machine has, beside plain ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "platforms/cpu/kernels/move_tables.h"

namespace cupola::cpu {
namespace {

struct Set {
  const char* name;
  void (*add)(MoveFunctions&);
};

std::vector<Set> sets() {
  std::vector<Set> found{{"baseline", add_move_kernels_baseline}};
#if defined(CUPOLA_CPU_HAS_AVX2) || defined(CUPOLA_CPU_HAS_AVX512)
  __builtin_cpu_init();
#endif
#ifdef CUPOLA_CPU_HAS_AVX2
  if (__builtin_cpu_supports("avx2")) found.push_back({"avx2", add_move_kernels_avx2});
#endif
#ifdef CUPOLA_CPU_HAS_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
    found.push_back({"avx512", add_move_kernels_avx512});
  }
#endif
  return found;
}

using Bytes = std::vector<unsigned char>;

// Lengths around those of vectors and of blocks of them.
constexpr std::int64_t kCounts[] = {0, 1, 2, 7, 15, 16, 31, 63, 64, 65, 100, 255, 256, 257, 1000};

class MoveKernels : public ::testing::TestWithParam<std::size_t> {
 protected:
  MoveKernels() { sets()[GetParam()].add(functions_); }

  Bytes random(std::int64_t count) {
    Bytes bytes(static_cast<std::size_t>(count));
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random_());
    return bytes;
  }
  // Of elements, with room behind them that nothing may write.
  static Bytes untouched(std::int64_t count, std::int64_t size) {
    return Bytes(static_cast<std::size_t>(count * size + 64), 0xA5);
  }
  // What from(i) names for each i < count.
  template <typename From>
  static Bytes moved(const Bytes& source, std::int64_t count, std::int64_t size, const From& from) {
    Bytes result = untouched(count, size);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(result.data() + i * size, source.data() + from(i) * size,
                  static_cast<std::size_t>(size));
    }
    return result;
  }
  // mask[i] with a probability of `part`.
  std::unique_ptr<bool[]> mask(std::int64_t count, double part) {
    auto result = std::make_unique<bool[]>(static_cast<std::size_t>(count) + 1);
    std::bernoulli_distribution holds(part);
    for (std::int64_t i = 0; i < count; ++i) result[static_cast<std::size_t>(i)] = holds(random_);
    return result;
  }

  MoveFunctions functions_;
  std::mt19937 random_{1};
};

TEST_P(MoveKernels, Copies) {
  for (const std::int64_t bytes : {0, 1, 63, 64, 255, 256, 257, 1000, 5000}) {
    for (const std::int64_t shift : {0, 1, 8, 63}) {
      const Bytes source = random(bytes + shift + 1);
      Bytes target = untouched(bytes + shift, 1);
      functions_.copy(target.data() + shift, source.data(), static_cast<std::size_t>(bytes));
      Bytes wanted = untouched(bytes + shift, 1);
      std::copy_n(source.begin(), bytes, wanted.begin() + shift);
      EXPECT_EQ(target, wanted) << bytes << " to " << shift;
    }
  }
}

TEST_P(MoveKernels, MovesElements) {
  for (int item = 0; item < kItemSizes; ++item) {
    const std::int64_t size = std::int64_t{1} << item;
    for (const std::int64_t count : kCounts) {
      const Bytes source = random(2 * count * size + size);
      const auto expect = [&](const char* what, const auto& run, const auto& from) {
        Bytes target = untouched(count, size);
        run(target.data());
        EXPECT_EQ(target, moved(source, count, size, from)) << what << size << " x " << count;
      };
      expect(
          "fill ", [&](void* to) { functions_.fill[item](to, source.data(), count); },
          [](std::int64_t) { return 0; });
      expect(
          "reverse ",
          [&](void* to) {
            const std::int64_t last = std::max<std::int64_t>(count - 1, 0);
            functions_.reverse[item](to, source.data() + last * size, count);
          },
          [&](std::int64_t i) { return count - 1 - i; });
      expect(
          "every other ", [&](void* to) { functions_.every_other[item](to, source.data(), count); },
          [](std::int64_t i) { return 2 * i; });
    }
  }
}

TEST_P(MoveKernels, Gathers) {
  for (int item = 0; item < kItemSizes; ++item) {
    const std::int64_t size = std::int64_t{1} << item, extent = 50;
    const Bytes source = random(extent * size);
    for (const std::int64_t count : kCounts) {
      std::uniform_int_distribution<std::int64_t> any(-extent, extent - 1);
      std::vector<std::int64_t> counted(static_cast<std::size_t>(count));
      for (std::int64_t& index : counted) index = any(random_);
      std::vector<std::int64_t> indices = counted;
      for (std::int64_t& index : indices) index += index < 0 ? extent : 0;
      const Bytes wanted = moved(source, count, size, [&](std::int64_t i) {
        return indices[static_cast<std::size_t>(i)];
      });
      Bytes target = untouched(count, size);
      functions_.gather[item](target.data(), source.data(), indices.data(), count);
      EXPECT_EQ(target, wanted) << size << " x " << count;
      target = untouched(count, size);
      functions_.gather_counted[item](target.data(), source.data(), counted.data(), 0, extent,
                                      count);
      EXPECT_EQ(target, wanted) << size << " x " << count << ", from the end";
    }
  }
}

TEST_P(MoveKernels, PicksAsManyAsWanted) {
  for (int item = 0; item < kItemSizes; ++item) {
    const std::int64_t size = std::int64_t{1} << item;
    for (const std::int64_t count : kCounts) {
      for (const double part : {0.0, 0.1, 0.5, 0.98, 1.0}) {
        const Bytes source = random(count * size);
        const auto holds = mask(count, part);
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < count; ++i) {
          if (holds[static_cast<std::size_t>(i)]) places.push_back(i);
        }
        const std::int64_t all = std::ssize(places);
        EXPECT_EQ(functions_.count_true(holds.get(), count), all);
        for (const std::int64_t wanted : {all, all / 2, all + 3}) {
          Bytes target = untouched(count, size);
          functions_.pick[item](target.data(), source.data(), holds.get(), count, wanted);
          Bytes expected = untouched(count, size);
          for (std::int64_t i = 0; i < std::min(wanted, all); ++i) {
            std::copy_n(source.begin() + places[static_cast<std::size_t>(i)] * size, size,
                        expected.begin() + i * size);
          }
          const std::int64_t whole = std::min(wanted, all) * size;
          EXPECT_TRUE(std::equal(target.begin(), target.begin() + whole, expected.begin()));
          // What others write begins behind the wanted ones.
          if (wanted <= all) {
            EXPECT_EQ(target, expected) << size << " x " << count;
          }
        }
      }
    }
  }
}

TEST_P(MoveKernels, ExpandsInOrder) {
  for (int item = 0; item < kItemSizes; ++item) {
    const std::int64_t size = std::int64_t{1} << item;
    for (const std::int64_t count : kCounts) {
      for (const double part : {0.0, 0.1, 0.5, 0.98, 1.0}) {
        const auto holds = mask(count, part);
        Bytes expected = untouched(count, size);
        const Bytes all = random(count * size);
        std::int64_t found = 0;
        for (std::int64_t i = 0; i < count; ++i) {
          if (!holds[static_cast<std::size_t>(i)]) continue;
          std::copy_n(all.begin() + found++ * size, size, expected.begin() + i * size);
        }
        // No more than there are, so that a reader of others is noticed.
        const Bytes source(all.begin(), all.begin() + found * size);
        Bytes target = untouched(count, size);
        EXPECT_EQ(functions_.expand[item](target.data(), source.data(), holds.get(), count, found),
                  found);
        EXPECT_EQ(target, expected) << size << " x " << count << ", " << part;
        Bytes more = source;
        more.resize(more.size() + static_cast<std::size_t>(100 * size));
        Bytes again = untouched(count, size);
        EXPECT_EQ(
            functions_.expand[item](again.data(), more.data(), holds.get(), count, found + 100),
            found);
        EXPECT_EQ(again, expected) << size << " x " << count << ", " << part << ", of more";
      }
    }
  }
}

template <typename T>
void expect_numbers(const MoveFunctions& functions, std::int64_t first, std::int64_t step) {
  for (const std::int64_t count : kCounts) {
    std::vector<T> target(static_cast<std::size_t>(count) + 1, T{99});
    functions.number[std::countr_zero(sizeof(T))](target.data(), first, step, count);
    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(target[static_cast<std::size_t>(i)], static_cast<T>(first + step * i));
    }
    EXPECT_EQ(target.back(), T{99});
  }
}

TEST_P(MoveKernels, Numbers) {
  for (const std::int64_t step : {-7, 1, 40000}) {
    expect_numbers<std::uint16_t>(functions_, 1000, step);
    expect_numbers<std::uint32_t>(functions_, 1000, step);
    expect_numbers<std::int64_t>(functions_, std::int64_t{1} << 40, step);
  }
}

TEST_P(MoveKernels, Transposes) {
  for (int item = 0; item < kItemSizes; ++item) {
    const std::int64_t size = std::int64_t{1} << item;
    for (const std::int64_t rows : {1, 3, 16, 17, 64, 70}) {
      for (const std::int64_t columns : {1, 2, 16, 31, 64, 100}) {
        const std::int64_t column = (rows + 2) * size, pitch = (columns + 1) * size;
        const Bytes source = random(columns * column);
        Bytes target = untouched(rows * pitch, 1), wanted = target;
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            std::copy_n(source.begin() + c * column + r * size, size,
                        wanted.begin() + r * pitch + c * size);
          }
        }
        functions_.transpose[item](target.data(), pitch, source.data(), column, rows, columns);
        EXPECT_EQ(target, wanted) << size << ": " << rows << " x " << columns;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, MoveKernels, ::testing::Range(std::size_t{0}, sets().size()),
                         [](const auto& set) { return sets()[set.param].name; });

}  // namespace
}  // namespace cupola::cpu
