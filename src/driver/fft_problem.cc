#include "driver/fft_problem.h"

#include <algorithm>

#include "base/environment.h"
#include "base/lazy.h"

namespace cupola {

namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40;
// Worth a launch; what a library writes between its passes may stay in the device's cache.
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 26;

struct BlockRows {
  std::int64_t rows = 0;  // 0: by kBlockBytes
};

BlockRows read_block_rows() {
  const auto rows = whole_number_setting("CUPOLA_FFT_BLOCK_ROWS", 1, kMostRows);
  return {rows ? static_cast<std::int64_t>(*rows) : 0};
}

std::int64_t rows_of_block(const FftProblem& problem) {
  static constinit Lazy<const BlockRows> setting;
  const std::int64_t rows = setting.get(read_block_rows).rows;
  if (rows > 0) return rows;
  const std::int64_t row_bytes =
      problem.columns *
      std::max(problem.in_length() * problem.in_item(), problem.out_length() * problem.out_item());
  return std::max<std::int64_t>(1, kBlockBytes / row_bytes);
}

}  // namespace

FftProblem FftProblem::part(std::int64_t first, std::int64_t count) const {
  FftProblem part = *this;
  part.rows = count;
  part.in = static_cast<const char*>(in) + first * in_row * in_item();
  part.out = static_cast<char*>(out) + first * out_row * out_item();
  return part;
}

std::vector<FftProblem> fft_blocks(const FftProblem& problem) {
  const std::int64_t rows = rows_of_block(problem);
  std::vector<FftProblem> blocks;
  for (std::int64_t first = 0; first < problem.rows; first += rows) {
    blocks.push_back(problem.part(first, std::min(rows, problem.rows - first)));
  }
  return blocks;
}

}  // namespace cupola
