#include "codegen/matmul_blocks.h"

#include <algorithm>
#include <cmath>

namespace cupola {

namespace {

// How many equal units make up a block, at least one; `most` stands for never. Wholes of floating
// point: the sizes may be beyond integers.
std::int64_t units_of_block(double products, double bytes, const MatmulBlocking& blocking) {
  constexpr double kMax = 0x1p60;
  const double units = std::min(std::ceil(static_cast<double>(blocking.products) / products),
                                std::ceil(static_cast<double>(blocking.bytes) / bytes));
  return static_cast<std::int64_t>(std::clamp(units, 1.0, kMax));
}

struct Sizes {
  double m, n, k, item;
  explicit Sizes(const MatmulProblem& p)
      : m(static_cast<double>(p.m)),
        n(static_cast<double>(p.n)),
        k(static_cast<double>(p.k)),
        item(static_cast<double>(item_size(p.dtype))) {}
};

std::int64_t rows_of_block(const Sizes& size, const MatmulBlocking& blocking) {
  const std::int64_t least =
      units_of_block(size.n * size.k, (size.n + size.k) * size.item, blocking);
  return (least + blocking.rows - 1) / blocking.rows * blocking.rows;
}

std::int64_t matrices_of_block(const Sizes& size, const MatmulBlocking& blocking) {
  const double elements = size.m * size.k + size.k * size.n + size.m * size.n;
  return units_of_block(size.m * size.n * size.k, elements * size.item, blocking);
}

void move(MatmulProblem& problem, std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto item = static_cast<std::int64_t>(item_size(problem.dtype));
  problem.a = static_cast<const char*>(problem.a) + a * item;
  problem.b = static_cast<const char*>(problem.b) + b * item;
  problem.c = static_cast<char*>(problem.c) + c * item;
}

// Calls visit(first, count) for stretches of `each` of `all`, the last with what is left over.
template <class Visit>
void for_each_stretch(std::int64_t all, std::int64_t each, Visit visit) {
  const std::int64_t count = std::max<std::int64_t>(all / each, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(i * each, i + 1 == count ? all - i * each : each);
  }
}

void cut_rows(const MatmulProblem& problem, std::int64_t rows, std::vector<MatmulProblem>& blocks) {
  for_each_stretch(problem.m, rows, [&](std::int64_t first, std::int64_t count) {
    MatmulProblem block = problem;
    move(block, first * problem.a_row, 0, first * problem.c_row);
    block.m = count;
    block.b_is_a_transposed = problem.b_is_a_transposed && count == problem.m;
    blocks.push_back(block);
  });
}

// The problem with stretches of one dimension of its stack, and single places of those before it.
class StackCut {
 public:
  StackCut(const MatmulProblem& problem, std::size_t dimension, std::int64_t each)
      : problem_(problem), dimension_(dimension), each_(each) {}

  template <class Visit>
  void for_each(Visit visit) const {
    walk(problem_, 0, visit);
  }

 private:
  template <class Visit>
  void walk(const MatmulProblem& problem, std::size_t d, const Visit& visit) const {
    const std::int64_t each = d == dimension_ ? each_ : 1;
    for_each_stretch(problem.batch[d], each, [&](std::int64_t first, std::int64_t count) {
      MatmulProblem block = problem;
      move(block, first * problem.a_batch[d], first * problem.b_batch[d],
           first * problem.c_batch[d]);
      block.batch[d] = count;
      if (d == dimension_) {
        visit(block);
      } else {
        walk(block, d + 1, visit);
      }
    });
  }

  const MatmulProblem& problem_;
  std::size_t dimension_;
  std::int64_t each_;
};

}  // namespace

bool is_empty(const MatmulProblem& problem) {
  return problem.m == 0 || problem.n == 0 || problem.k == 0 ||
         std::find(problem.batch.begin(), problem.batch.end(), 0) != problem.batch.end();
}

bool is_one_block(const MatmulProblem& problem, const MatmulBlocking& blocking) {
  return problem.batch.empty() && rows_of_block(Sizes(problem), blocking) >= problem.m;
}

std::vector<MatmulProblem> matmul_blocks(const MatmulProblem& problem,
                                         const MatmulBlocking& blocking) {
  if (is_empty(problem)) return {problem};
  const Sizes sizes(problem);
  const std::int64_t rows = rows_of_block(sizes, blocking);
  std::vector<MatmulProblem> blocks;
  if (problem.batch.empty()) {
    cut_rows(problem, rows, blocks);
    return blocks;
  }
  // The innermost dimension that has enough matrices with those within it.
  const std::int64_t matrices = matrices_of_block(sizes, blocking);
  std::size_t d = problem.batch.size() - 1;
  std::int64_t within = 1;
  while (problem.batch[d] < (matrices + within - 1) / within) {
    if (d == 0) return {problem};
    within *= problem.batch[d--];
  }
  const std::int64_t each = (matrices + within - 1) / within;
  // Rows are cut only of matrices that stand alone.
  const bool is_single = each == 1 && within == 1;
  StackCut(problem, d, each).for_each([&](const MatmulProblem& block) {
    if (is_single) return cut_rows(block, rows, blocks);
    blocks.push_back(block);
  });
  return blocks;
}

}  // namespace cupola
