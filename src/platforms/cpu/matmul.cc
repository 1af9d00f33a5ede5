#include "platforms/cpu/matmul.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>

#include "platforms/cpu/blas.h"
#include "platforms/cpu/loops.h"
#include "platforms/cpu/matrix_vector.h"
#include "platforms/cpu/strided.h"
#include "platforms/cpu/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

// One matrix: unit stride along rows or along columns, `leading` the other stride.
struct Matrix {
  const char* data;
  std::int64_t row;
  std::int64_t column;
  bool transposed() const { return column != 1; }
  std::int64_t leading(std::int64_t rows, std::int64_t columns) const {
    return transposed() ? std::max({column, rows, std::int64_t{1}})
                        : std::max({row, columns, std::int64_t{1}});
  }
};

struct Product {
  std::int64_t m, n, k;
  Matrix a, b;
  char* c;
  std::int64_t c_row;
  bool accumulate;  // c += instead of c =
};

template <typename Integer, typename T>
void call_real(void* function, const Product& p) {
  using Gemm = void (*)(int, int, int, Integer, Integer, Integer, T, const void*, Integer,
                        const void*, Integer, T, void*, Integer);
  reinterpret_cast<Gemm>(function)(
      kRowMajor, p.a.transposed() ? kTranspose : kNoTranspose,
      p.b.transposed() ? kTranspose : kNoTranspose, static_cast<Integer>(p.m),
      static_cast<Integer>(p.n), static_cast<Integer>(p.k), T(1), p.a.data,
      static_cast<Integer>(p.a.leading(p.m, p.k)), p.b.data,
      static_cast<Integer>(p.b.leading(p.k, p.n)), T(p.accumulate ? 1 : 0), p.c,
      static_cast<Integer>(std::max(p.c_row, p.n)));
}

template <typename Integer, typename T>
void call_complex(void* function, const Product& p) {
  using Gemm = void (*)(int, int, int, Integer, Integer, Integer, const T*, const void*, Integer,
                        const void*, Integer, const T*, void*, Integer);
  const T one[2] = {1, 0};
  const T beta[2] = {T(p.accumulate ? 1 : 0), 0};
  reinterpret_cast<Gemm>(function)(kRowMajor, p.a.transposed() ? kTranspose : kNoTranspose,
                                   p.b.transposed() ? kTranspose : kNoTranspose,
                                   static_cast<Integer>(p.m), static_cast<Integer>(p.n),
                                   static_cast<Integer>(p.k), one, p.a.data,
                                   static_cast<Integer>(p.a.leading(p.m, p.k)), p.b.data,
                                   static_cast<Integer>(p.b.leading(p.k, p.n)), beta, p.c,
                                   static_cast<Integer>(std::max(p.c_row, p.n)));
}

template <typename Integer>
void call(const Blas& library, DType dtype, const Product& product) {
  if (dtype == DType::float32) return call_real<Integer, float>(library.sgemm, product);
  if (dtype == DType::float64) return call_real<Integer, double>(library.dgemm, product);
  if (dtype == DType::complex64) return call_complex<Integer, float>(library.cgemm, product);
  call_complex<Integer, double>(library.zgemm, product);
}

// Dimensions that the library's integers cannot hold are cut.
void multiply(const Blas& library, DType dtype, const Product& product) {
  if (library.long_integers) return call<std::int64_t>(library, dtype, product);
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const auto size = static_cast<std::int64_t>(item_size(dtype));
  for (std::int64_t i = 0; i < product.m; i += kMost) {
    for (std::int64_t j = 0; j < product.n; j += kMost) {
      for (std::int64_t l = 0; l < product.k; l += kMost) {
        Product part = product;
        part.m = std::min(kMost, product.m - i);
        part.n = std::min(kMost, product.n - j);
        part.k = std::min(kMost, product.k - l);
        part.a.data += (i * product.a.row + l * product.a.column) * size;
        part.b.data += (l * product.b.row + j * product.b.column) * size;
        part.c += (i * product.c_row + j) * size;
        part.accumulate = l > 0;
        call<int>(library, dtype, part);
      }
    }
  }
}

// A product with one row or column, as far as the library's integers can hold its strides.
std::optional<MatrixVectorProduct> matrix_vector(const Blas& library, DType dtype,
                                                 const Product& p) {
  constexpr std::int64_t most = INT_MAX;
  if (p.n != 1 && p.m != 1) return std::nullopt;
  const Matrix& matrix = p.n == 1 ? p.a : p.b;
  MatrixVectorProduct product{.dtype = dtype,
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
  if (product.rows == 1) {
    product.row = std::max<std::int64_t>(product.row, 1);
    product.result_stride = 1;
  }
  const std::int64_t steps[] = {product.row, product.column, product.vector_stride,
                                product.result_stride};
  const bool fits = std::all_of(std::begin(steps), std::end(steps), [&](std::int64_t step) {
    return step > 0 && (library.long_integers || step <= most);
  });
  const bool is_known = product.row == 1 || product.column == 1;
  if (!fits || !is_known || (!library.long_integers && std::max(p.k, product.rows) > most)) {
    return std::nullopt;
  }
  return product;
}

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

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

void multiply_halves(const Blas& library, DType dtype, const Product& product) {
  const auto a = widen(product.a, dtype, product.m, product.k);
  const auto b = widen(product.b, dtype, product.k, product.n);
  const std::unique_ptr<float[]> c(new float[static_cast<std::size_t>(product.m * product.n)]);
  Product wide = product;
  wide.a = {reinterpret_cast<const char*>(a.get()), product.k, 1};
  wide.b = {reinterpret_cast<const char*>(b.get()), product.n, 1};
  wide.c = reinterpret_cast<char*>(c.get());
  wide.c_row = product.n;
  multiply(library, DType::float32, wide);
  const LoopFunction convert = find_cast(DType::float32, dtype);
  for (std::int64_t i = 0; i < product.m; ++i) {
    const void* input = c.get() + i * product.n;
    convert(&input, product.c + i * product.c_row * 2, product.n);
  }
}

void clear(const Product& product, DType dtype) {
  const std::size_t size = item_size(dtype);
  for (std::int64_t i = 0; i < product.m; ++i) {
    std::memset(product.c + static_cast<std::size_t>(i * product.c_row) * size, 0,
                static_cast<std::size_t>(product.n) * size);
  }
}

}  // namespace

void check_matmul() { blas(); }

void run_matmul(const MatmulProblem& problem) {
  const Blas& library = blas();
  const auto size = static_cast<std::int64_t>(item_size(problem.dtype));
  std::int64_t count = 1;
  for (const std::int64_t extent : problem.batch) count *= extent;
  if (count == 0 || problem.m == 0 || problem.n == 0) return;
  const auto run = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto place = [&](const void* base, const Dims& strides) {
        return static_cast<const char*>(base) + strided_offset(problem.batch, strides, i) * size;
      };
      Product product{problem.m,
                      problem.n,
                      problem.k,
                      {place(problem.a, problem.a_batch), problem.a_row, problem.a_column},
                      {place(problem.b, problem.b_batch), problem.b_row, problem.b_column},
                      const_cast<char*>(place(problem.c, problem.c_batch)),
                      problem.c_row,
                      false};
      if (problem.k == 0) {
        clear(product, problem.dtype);
      } else if (is_half(problem.dtype)) {
        multiply_halves(library, problem.dtype, product);
      } else if (const auto vector = matrix_vector(library, problem.dtype, product)) {
        multiply(library, *vector);
      } else {
        multiply(library, problem.dtype, product);
      }
    }
  };
  const double cost = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.k);
  // The library splits large products over threads of its own.
  if (cost > 1e6) return run(0, count);
  parallel_for(count, std::max<std::int64_t>(1, static_cast<std::int64_t>(1e5 / (cost + 1))), run);
}

}  // namespace cupola::cpu
