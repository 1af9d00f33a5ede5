#pragma once
// What is looked for in a row of a SelectProblem, and where that lies.

#include <algorithm>
#include <numeric>
#include <vector>

#include "driver/select_problem.h"
#include "platforms/cpu/interpreter/strided.h"

namespace cupola::cpu {

// The ranks of a row, ascending, and their numbers.
struct RowRanks {
  std::vector<std::int64_t> places, numbers;
};

inline RowRanks ranks_of_row(const SelectProblem& problem, std::int64_t row) {
  const auto* all = static_cast<const std::int64_t*>(problem.ranks);
  const std::int64_t rows = problem.rows(), length = problem.length();
  const auto rank = [&](std::int64_t number) {
    const std::int64_t at = problem.ranks_of_all ? number : number * rows + row;
    return std::clamp<std::int64_t>(all[at], 0, length - 1);
  };
  const auto count = static_cast<std::size_t>(problem.rank_count);
  RowRanks ranks{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
  std::iota(ranks.numbers.begin(), ranks.numbers.end(), 0);
  std::vector<std::int64_t> clamped(count);
  for (std::size_t i = 0; i < count; ++i) clamped[i] = rank(static_cast<std::int64_t>(i));
  std::stable_sort(ranks.numbers.begin(), ranks.numbers.end(), [&](auto a, auto b) {
    return clamped[static_cast<std::size_t>(a)] < clamped[static_cast<std::size_t>(b)];
  });
  for (std::size_t i = 0; i < count; ++i) {
    ranks.places[i] = clamped[static_cast<std::size_t>(ranks.numbers[i])];
  }
  return ranks;
}

inline const char* first_of_row(const SelectProblem& problem, std::int64_t row) {
  Dims extents = problem.extents;
  extents.back() = 1;
  const std::int64_t offset = extents.rank() == 2 ? row * problem.strides[0]
                                                  : strided_offset(extents, problem.strides, row);
  return static_cast<const char*>(problem.in) +
         offset * static_cast<std::int64_t>(item_size(problem.dtype));
}

}  // namespace cupola::cpu
