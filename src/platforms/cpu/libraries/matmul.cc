#include "platforms/cpu/libraries/matmul.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>

#include "platforms/cpu/interpreter/loops.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/libraries/blas.h"
#include "platforms/cpu/libraries/dot.h"
#include "platforms/cpu/libraries/gemm.h"
#include "platforms/cpu/libraries/matrix_vector.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr double kCostOfCall = 4096;        // in multiplications of float32
constexpr std::int64_t kLongest = INT_MAX;  // of libraries whose integers have 32 bits

bool fit(const Blas& library, std::initializer_list<std::int64_t> steps) {
  return std::all_of(steps.begin(), steps.end(), [&](std::int64_t step) {
    return step > 0 && (library.long_integers || step <= kLongest);
  });
}

// A product with one row and one column.
std::optional<DotProduct> dot_product(const Blas& library, const Product& p) {
  if (p.m != 1 || p.n != 1) return std::nullopt;
  const DotProduct product{.dtype = p.dtype,
                           .length = p.k,
                           .a = p.a.data,
                           .a_stride = p.k == 1 ? 1 : p.a.column,
                           .b = p.b.data,
                           .b_stride = p.k == 1 ? 1 : p.b.row,
                           .result = p.c};
  if (!fit(library, {product.a_stride, product.b_stride})) return std::nullopt;
  return product;
}

// A product with one row or column, as far as the library's integers can hold its strides.
std::optional<MatrixVectorProduct> matrix_vector(const Blas& library, const Product& p) {
  if (p.n != 1 && p.m != 1) return std::nullopt;
  const Matrix& matrix = p.n == 1 ? p.a : p.b;
  MatrixVectorProduct product{.dtype = p.dtype,
                              .rows = p.n == 1 ? p.m : p.n,
                              .columns = p.k,
                              .matrix = matrix.data,
                              .row = p.n == 1 ? matrix.row : matrix.column,
                              .column = p.n == 1 ? matrix.column : matrix.row,
                              .vector = p.n == 1 ? p.b.data : p.a.data,
                              .vector_stride = p.n == 1 ? p.b.row : p.a.column,
                              .result = p.c,
                              .result_stride = p.n == 1 ? p.c_row : 1};
  if (p.k == 1) product.vector_stride = 1;
  const bool is_known = product.row == 1 || product.column == 1;
  if (!is_known || !fit(library, {product.row, product.column, product.vector_stride,
                                  product.result_stride, p.k, product.rows})) {
    return std::nullopt;
  }
  return product;
}

// By the routine that the shapes ask for.
void run_one(const Product& product, bool b_is_a_transposed) {
  const Blas& library = blas_of_one_thread();
  if (const auto dot = dot_product(library, product)) return multiply(library, *dot);
  if (const auto vector = matrix_vector(library, product)) return multiply(library, *vector);
  if (b_is_a_transposed) return multiply_by_transpose(product);
  multiply(product);
}

// A row-major float32 copy of a matrix of 16-bit floats.
std::unique_ptr<float[]> widen(const Matrix& matrix, DType dtype, std::int64_t rows,
                               std::int64_t columns) {
  std::unique_ptr<float[]> wide(new float[static_cast<std::size_t>(rows * columns)]);
  const LoopFunction convert = find_cast(dtype, DType::float32);
  parallel_for(rows, std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, columns)),
               [&](std::int64_t first, std::int64_t last) {
                 const std::unique_ptr<char[]> row(new char[static_cast<std::size_t>(columns) * 2]);
                 for (std::int64_t i = first; i < last; ++i) {
                   gather_row(row.get(), matrix.data + i * matrix.row * 2, matrix.column, columns,
                              2);
                   const void* input = row.get();
                   convert(&input, wide.get() + i * columns, columns);
                 }
               });
  return wide;
}

void multiply_halves(const Product& product) {
  const DType dtype = product.dtype;
  const auto a = widen(product.a, dtype, product.m, product.k);
  const auto b = widen(product.b, dtype, product.k, product.n);
  const std::unique_ptr<float[]> c(new float[static_cast<std::size_t>(product.m * product.n)]);
  Product wide = product;
  wide.dtype = DType::float32;
  wide.a = {reinterpret_cast<const char*>(a.get()), product.k, 1};
  wide.b = {reinterpret_cast<const char*>(b.get()), product.n, 1};
  wide.c = reinterpret_cast<char*>(c.get());
  wide.c_row = product.n;
  run_one(wide, false);
  const LoopFunction convert = find_cast(DType::float32, dtype);
  for (std::int64_t i = 0; i < product.m; ++i) {
    const void* input = c.get() + i * product.n;
    convert(&input, product.c + i * product.c_row * 2, product.n);
  }
}

void clear(const Product& product) {
  const std::size_t size = item_size(product.dtype);
  for (std::int64_t i = 0; i < product.m; ++i) {
    std::memset(product.c + static_cast<std::size_t>(i * product.c_row) * size, 0,
                static_cast<std::size_t>(product.n) * size);
  }
}

}  // namespace

void check_matmul() { blas_of_one_thread(); }

void run_matmul(const MatmulProblem& problem) {
  const auto size = static_cast<std::int64_t>(item_size(problem.dtype));
  std::int64_t count = 1;
  for (const std::int64_t extent : problem.batch) count *= extent;
  if (count == 0 || problem.m == 0 || problem.n == 0) return;
  const auto product_at = [&](std::int64_t i) {
    const auto place = [&](const void* base, const Dims& strides) {
      const bool is_row = problem.batch.size() == 1;  // no divisions then
      const std::int64_t offset =
          is_row ? i * strides[0] : strided_offset(problem.batch, strides, i);
      return static_cast<const char*>(base) + offset * size;
    };
    return Product{problem.dtype,
                   problem.m,
                   problem.n,
                   problem.k,
                   {place(problem.a, problem.a_batch), problem.a_row, problem.a_column},
                   {place(problem.b, problem.b_batch), problem.b_row, problem.b_column},
                   const_cast<char*>(place(problem.c, problem.c_batch)),
                   problem.c_row};
  };
  const auto run = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const Product product = product_at(i);
      if (problem.k == 0) {
        clear(product);
      } else if (is_half(problem.dtype)) {
        multiply_halves(product);
      } else {
        run_one(product, problem.b_is_a_transposed);
      }
    }
  };
  const double multiplications = product_at(0).multiplications();
  if (multiplications > kMostOfOurThreads || !may_share_work()) return run(0, count);
  const double cost = multiplications * cost_of_multiplication(problem.dtype) + kCostOfCall;
  parallel_for(count, std::max<std::int64_t>(1, static_cast<std::int64_t>(kCostOfTask / cost)),
               run);
}

}  // namespace cupola::cpu
