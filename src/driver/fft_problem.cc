#include "driver/fft_problem.h"

#include <algorithm>

#include "base/threads/lazy.h"
#include "driver/block_rows.h"

namespace cupola {

namespace {

// Worth a launch; what a library writes between its passes may stay in the device's cache.
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 26;
constexpr std::int64_t kLineOfColumns = 64;  // parts of a matrix begin with a line of the cache

struct BlockRows {
  std::int64_t rows = 0;  // 0: by kBlockBytes
};

BlockRows read_block_rows() { return {block_rows_setting("CUPOLA_FFT_BLOCK_ROWS")}; }

std::int64_t asked_rows() {
  static constinit Lazy<const BlockRows> setting;
  return setting.get(read_block_rows).rows;
}

std::int64_t row_bytes(const FftProblem& problem) {
  return std::max(problem.in_length() * problem.in_item(),
                  problem.out_length() * problem.out_item());
}

std::int64_t rows_of_block(const FftProblem& problem) {
  if (const std::int64_t rows = asked_rows(); rows > 0) return rows;
  return std::max<std::int64_t>(1, kBlockBytes / (problem.columns * row_bytes(problem)));
}

std::int64_t columns_of_block(const FftProblem& problem) {
  if (const std::int64_t columns = asked_rows(); columns > 0) return columns;
  const std::int64_t columns = kBlockBytes / row_bytes(problem);
  return std::max<std::int64_t>(1, columns / kLineOfColumns) * kLineOfColumns;
}

}  // namespace

FftProblem FftProblem::part(std::int64_t first, std::int64_t count) const {
  FftProblem part = *this;
  part.rows = count;
  part.in = static_cast<const char*>(in) + first * in_row * in_item();
  part.out = static_cast<char*>(out) + first * out_row * out_item();
  return part;
}

FftProblem FftProblem::column_part(std::int64_t first, std::int64_t count) const {
  FftProblem part = *this;
  part.columns = count;
  part.in = static_cast<const char*>(in) + first * in_item();
  part.out = static_cast<char*>(out) + first * out_item();
  return part;
}

std::vector<FftProblem> fft_blocks(const FftProblem& problem) {
  const std::int64_t rows = rows_of_block(problem);
  const bool is_one = rows == 1 || problem.rows == 1;
  const std::int64_t columns = is_one ? columns_of_block(problem) : problem.columns;
  std::vector<FftProblem> blocks;
  for (std::int64_t first = 0; first < problem.rows; first += rows) {
    const FftProblem part = problem.part(first, std::min(rows, problem.rows - first));
    for (std::int64_t column = 0; column < problem.columns; column += columns) {
      blocks.push_back(part.column_part(column, std::min(columns, problem.columns - column)));
    }
  }
  return blocks;
}

}  // namespace cupola
