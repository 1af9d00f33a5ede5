#include "driver/matmul_blocking.h"

#include <cstdint>

#include "base/process/environment.h"
#include "base/threads/lazy.h"

namespace cupola {

namespace {

constexpr std::uint64_t kMaxMatmulRows = std::uint64_t{1} << 40;

MatmulBlocking read_blocking() {
  const auto rows = whole_number_setting("CUPOLA_MATMUL_BLOCK_ROWS", 1, kMaxMatmulRows);
  if (!rows) return {};
  return {static_cast<std::int64_t>(*rows), 1, 1};
}

const MatmulBlocking& blocking_of_process() {
  static constinit Lazy<const MatmulBlocking> blocking;
  return blocking.get(read_blocking);
}

}  // namespace

std::vector<MatmulProblem> matmul_blocks(const MatmulProblem& problem) {
  return matmul_blocks(problem, blocking_of_process());
}

bool is_one_block(const MatmulProblem& problem) {
  return is_one_block(problem, blocking_of_process());
}

}  // namespace cupola
