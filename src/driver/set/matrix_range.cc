#include "driver/set/matrix_range.h"

#include <utility>

namespace cupola {

namespace {

struct Walk {
  std::int64_t low = 0;       // elements before the pointer
  std::int64_t high = 0;      // and behind it, to the last
  std::int64_t distinct = 1;  // elements, those of stride 0 once

  void add(std::int64_t extent, std::int64_t stride) {
    (stride < 0 ? low : high) += stride * (extent - 1);
    if (stride != 0) distinct *= extent;
  }
};

MatrixRange range_of(const void* pointer, const MatmulProblem& problem, const Dims& batch_strides,
                     std::pair<std::int64_t, std::int64_t> rows,
                     std::pair<std::int64_t, std::int64_t> columns) {
  Walk walk;
  for (std::size_t d = 0; d < problem.batch.size(); ++d) {
    walk.add(problem.batch[d], batch_strides[d]);
  }
  walk.add(rows.first, rows.second);
  walk.add(columns.first, columns.second);
  const auto item = static_cast<std::int64_t>(item_size(problem.dtype));
  const std::int64_t elements = walk.high - walk.low + 1;
  return {const_cast<char*>(static_cast<const char*>(pointer)) + walk.low * item,
          static_cast<std::size_t>(elements * item), elements == walk.distinct};
}

}  // namespace

MatrixRange range_of_a(const MatmulProblem& p) {
  return range_of(p.a, p, p.a_batch, {p.m, p.a_row}, {p.k, p.a_column});
}

MatrixRange range_of_b(const MatmulProblem& p) {
  return range_of(p.b, p, p.b_batch, {p.k, p.b_row}, {p.n, p.b_column});
}

MatrixRange range_of_c(const MatmulProblem& p) {
  return range_of(p.c, p, p.c_batch, {p.m, p.c_row}, {p.n, 1});
}

}  // namespace cupola
