#include "driver/matmul_blocking.h"

#include <cstdint>

#include "base/threads/lazy.h"
#include "driver/block_rows.h"

namespace cupola {

namespace {

MatmulBlocking read_blocking() {
  const std::int64_t rows = block_rows_setting("CUPOLA_MATMUL_BLOCK_ROWS");
  if (rows == 0) return {};
  return {rows, 1, 1};
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
