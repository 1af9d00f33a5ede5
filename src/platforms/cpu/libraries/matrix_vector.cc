#include "platforms/cpu/libraries/matrix_vector.h"

#include <algorithm>
#include <memory>

#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// Elements of the matrix in one call where the library is a copy without threads.
constexpr std::int64_t kBlock = 262144;
// Elements of a task with results of its own, which are added afterwards.
constexpr std::int64_t kTaskOfSums = 262144;
// Results up to which a matrix that lies by columns is divided along these.
constexpr std::int64_t kFewResults = 8192;

template <typename Integer, typename T>
struct RealCall {
  using Scalar = T;
  static void run(void* function, int transposed, Integer rows, Integer columns, const void* matrix,
                  Integer leading, const void* vector, Integer step, T beta, void* result,
                  Integer result_step) {
    using Gemv = void (*)(int, int, Integer, Integer, T, const void*, Integer, const void*, Integer,
                          T, void*, Integer);
    reinterpret_cast<Gemv>(function)(kRowMajor, transposed, rows, columns, T(1), matrix, leading,
                                     vector, step, beta, result, result_step);
  }
};

template <typename Integer, typename T>
struct ComplexCall {
  using Scalar = T;
  static void run(void* function, int transposed, Integer rows, Integer columns, const void* matrix,
                  Integer leading, const void* vector, Integer step, T beta, void* result,
                  Integer result_step) {
    using Gemv = void (*)(int, int, Integer, Integer, const T*, const void*, Integer, const void*,
                          Integer, const T*, void*, Integer);
    const T one[2] = {1, 0};
    const T factor[2] = {beta, 0};
    reinterpret_cast<Gemv>(function)(kRowMajor, transposed, rows, columns, one, matrix, leading,
                                     vector, step, factor, result, result_step);
  }
};

struct Range {
  std::int64_t first, last;
};

// What a part of the matrix gives, in `p.result`.
template <typename Integer, typename Call>
void run_part(void* function, const MatrixVectorProduct& p, Range rows, Range columns) {
  const auto size = static_cast<std::int64_t>(item_size(p.dtype));
  const bool by_rows = p.column == 1;
  const std::int64_t length = by_rows ? columns.last - columns.first : rows.last - rows.first;
  const std::int64_t block = may_share_work() ? kBlock : kBlockWithoutCopy;
  const std::int64_t along = std::min(length, by_rows ? block / 2 : block / 4);
  const std::int64_t across = block / along;
  const std::int64_t height = by_rows ? across : along, width = by_rows ? along : across;
  const auto integer = [](std::int64_t value) { return static_cast<Integer>(value); };
  const Integer leading =
      integer(by_rows ? std::max(p.row, p.columns) : std::max(p.column, p.rows));
  for (std::int64_t i = rows.first; i < rows.last; i += height) {
    const std::int64_t m = std::min(height, rows.last - i);
    for (std::int64_t j = columns.first; j < columns.last; j += width) {
      const std::int64_t n = std::min(width, columns.last - j);
      Call::run(function, by_rows ? kNoTranspose : kTranspose, integer(by_rows ? m : n),
                integer(by_rows ? n : m), p.matrix + (i * p.row + j * p.column) * size, leading,
                p.vector + j * p.vector_stride * size, integer(p.vector_stride),
                typename Call::Scalar(j > columns.first ? 1 : 0),
                p.result + i * p.result_stride * size, integer(p.result_stride));
    }
  }
}

// The threads' share where there are so many elements of the matrix for each item.
std::int64_t grain_of(std::int64_t elements, DType dtype) {
  return grain_for(cost_to_read(elements * static_cast<std::int64_t>(item_size(dtype))));
}

// Parts of the columns by different threads, and then the sum of what they give, in order.
template <typename Integer, typename Call>
void run_by_sums(void* function, const MatrixVectorProduct& p) {
  using T = typename Call::Scalar;
  const std::int64_t width = std::max<std::int64_t>(1, kTaskOfSums / p.rows);
  const std::int64_t parts = (p.columns + width - 1) / width;
  const std::int64_t numbers = static_cast<std::int64_t>(item_size(p.dtype) / sizeof(T));
  const std::int64_t length = p.rows * numbers;
  const std::unique_ptr<T[]> sums(new T[static_cast<std::size_t>(parts * length)]);
  parallel_for(parts, grain_of(p.rows * width, p.dtype),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t part = first; part < last; ++part) {
                   MatrixVectorProduct own = p;
                   own.result = reinterpret_cast<char*>(sums.get() + part * length);
                   own.result_stride = 1;
                   run_part<Integer, Call>(function, own, {0, p.rows},
                                           {part * width, std::min((part + 1) * width, p.columns)});
                 }
               });
  for (std::int64_t part = 1; part < parts; ++part) {
    for (std::int64_t i = 0; i < length; ++i) sums[i] += sums[part * length + i];
  }
  auto* const result = reinterpret_cast<T*>(p.result);
  for (std::int64_t i = 0; i < p.rows; ++i) {
    std::copy_n(sums.get() + i * numbers, numbers, result + i * p.result_stride * numbers);
  }
}

template <typename Integer, typename Call>
void run_typed(void* function, const MatrixVectorProduct& p) {
  const bool is_long = p.rows * p.columns > kTaskOfSums;
  if (p.column != 1 && p.rows <= kFewResults && is_long) {
    return run_by_sums<Integer, Call>(function, p);
  }
  parallel_for(p.rows, grain_of(p.columns, p.dtype), [&](std::int64_t first, std::int64_t last) {
    run_part<Integer, Call>(function, p, {first, last}, {0, p.columns});
  });
}

template <typename Integer>
void run(const Blas& library, const MatrixVectorProduct& product) {
  void* const gemv = library.gemv.of(product.dtype);
  switch (product.dtype) {
    case DType::float32:
      return run_typed<Integer, RealCall<Integer, float>>(gemv, product);
    case DType::float64:
      return run_typed<Integer, RealCall<Integer, double>>(gemv, product);
    case DType::complex64:
      return run_typed<Integer, ComplexCall<Integer, float>>(gemv, product);
    default:
      return run_typed<Integer, ComplexCall<Integer, double>>(gemv, product);
  }
}

}  // namespace

void multiply(const Blas& library, const MatrixVectorProduct& product) {
  if (library.long_integers) return run<std::int64_t>(library, product);
  run<int>(library, product);
}

}  // namespace cupola::cpu
