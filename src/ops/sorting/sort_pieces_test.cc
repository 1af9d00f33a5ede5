#include "ops/sorting/sort_pieces.h"

#include <algorithm>
#include <random>

#include "cupola/ops/sort.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;

// `lengths` of runs, of numbers below `different`.
struct Runs {
  Runs(std::span<const std::int64_t> lengths, int different, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> values;
    for (const std::int64_t length : lengths) {
      const auto begin = std::ssize(values);
      for (std::int64_t i = 0; i < length; ++i) {
        values.push_back(static_cast<double>(random() % static_cast<unsigned>(different)));
      }
      std::sort(values.begin() + begin, values.end());
      runs.push_back({begin, std::ssize(values)});
    }
    all = values;
    row = array_of<double>(values, {std::ssize(values)});
  }
  std::vector<SortedRun> runs;
  std::vector<double> all;
  Array row;
};

void expect_cuts(const Runs& runs, std::int64_t rank) {
  const std::vector<std::int64_t> cuts = cuts_at_rank(runs.row, runs.runs, rank);
  std::int64_t before = 0;
  double largest = -1, smallest = 1e12;
  std::size_t last_before = 0, first_behind = runs.runs.size();  // runs of elements equal to these
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const auto [begin, end] = runs.runs[i];
    ASSERT_TRUE(begin <= cuts[i] && cuts[i] <= end) << i;
    before += cuts[i] - begin;
    if (cuts[i] > begin) {
      const double value = runs.all[static_cast<std::size_t>(cuts[i] - 1)];
      if (value >= largest) last_before = i;
      largest = std::max(largest, value);
    }
    if (cuts[i] < end) {
      const double value = runs.all[static_cast<std::size_t>(cuts[i])];
      if (value < smallest) first_behind = i;
      smallest = std::min(smallest, value);
    }
  }
  EXPECT_EQ(before, rank);
  EXPECT_LE(largest, smallest);
  if (largest == smallest) {
    EXPECT_LE(last_before, first_behind);
  }
}

TEST(CutsAtRank, EveryRankOfShortRuns) {
  for (const int different : {1, 3, 1000}) {
    const std::int64_t lengths[] = {5, 0, 9, 1, 7};
    const Runs runs(lengths, different, 1);
    for (std::int64_t rank = 0; rank <= 22; ++rank) expect_cuts(runs, rank);
  }
}

// So long that only some elements are looked at at first.
TEST(CutsAtRank, LongRuns) {
  for (const int different : {1, 50, 1 << 30}) {
    const std::int64_t lengths[] = {40'000, 100, 70'001, 0, 3'000, 20'000};
    const Runs runs(lengths, different, 2);
    for (const std::int64_t rank : {1, 99, 50'000, 66'550, 133'000, 133'101}) {
      expect_cuts(runs, rank);
    }
  }
}

TEST(SortPieces, SortsWhateverTheNumberOfPieces) {
  std::mt19937 random(3);
  for (const std::int64_t count : {1, 10, 4'999, 30'000}) {
    for (const unsigned different : {1u, 7u, 1u << 31}) {
      std::vector<double> values(static_cast<std::size_t>(count));
      for (double& value : values) value = static_cast<double>(random() % different);
      for (const std::int64_t pieces : {2, 4, 8, 64}) {
        const Array row = array_of<double>(values, {count});
        sort_pieces(row, pieces, [](const Array& piece) { sort_in_place(piece); });
        std::vector<double> wanted = values;
        std::sort(wanted.begin(), wanted.end());
        ASSERT_EQ(test::values_of(row), wanted) << count << " in " << pieces;
      }
    }
  }
}

}  // namespace
}  // namespace cupola
