// A matrix times its own transpose: half of the products, and the other half is a copy of them.

#include <algorithm>
#include <complex>

#include "platforms/cpu/libraries/blas.h"
#include "platforms/cpu/libraries/gemm.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// The lower triangle of c.
template <typename Integer, typename T>
void call_real(void* function, const Product& p) {
  using Syrk =
      void (*)(int, int, int, Integer, Integer, T, const void*, Integer, T, void*, Integer);
  reinterpret_cast<Syrk>(function)(kRowMajor, kLower, p.a.transposed() ? kTranspose : kNoTranspose,
                                   static_cast<Integer>(p.m), static_cast<Integer>(p.k), T(1),
                                   p.a.data, static_cast<Integer>(p.a.leading(p.m, p.k)), T(0), p.c,
                                   static_cast<Integer>(std::max(p.c_row, p.m)));
}

template <typename Integer, typename T>
void call_complex(void* function, const Product& p) {
  using Syrk = void (*)(int, int, int, Integer, Integer, const T*, const void*, Integer, const T*,
                        void*, Integer);
  const T one[2] = {1, 0};
  const T zero[2] = {0, 0};
  reinterpret_cast<Syrk>(function)(kRowMajor, kLower, p.a.transposed() ? kTranspose : kNoTranspose,
                                   static_cast<Integer>(p.m), static_cast<Integer>(p.k), one,
                                   p.a.data, static_cast<Integer>(p.a.leading(p.m, p.k)), zero, p.c,
                                   static_cast<Integer>(std::max(p.c_row, p.m)));
}

template <typename Integer>
void call(const Blas& library, const Product& p) {
  void* const syrk = library.syrk.of(p.dtype);
  if (p.dtype == DType::float32) return call_real<Integer, float>(syrk, p);
  if (p.dtype == DType::float64) return call_real<Integer, double>(syrk, p);
  if (p.dtype == DType::complex64) return call_complex<Integer, float>(syrk, p);
  call_complex<Integer, double>(syrk, p);
}

void lower_triangle(const Blas& library, const Product& p) {
  if (library.long_integers) return call<std::int64_t>(library, p);
  call<int>(library, p);
}

// Rows first to last - 1 of the lower triangle: what is left of the diagonal block, and that.
void lower_rows(const Product& p, std::int64_t first, std::int64_t last) {
  const auto size = static_cast<std::int64_t>(item_size(p.dtype));
  Product rows = p;
  rows.m = last - first;
  rows.n = first;
  rows.a.data += first * p.a.row * size;
  rows.c += first * p.c_row * size;
  if (first > 0) multiply(rows);
  Product block = rows;
  block.c += first * size;
  lower_triangle(blas_of_one_thread(), block);
}

// The upper triangle becomes the lower one's transpose, in blocks that fit the cache.
template <typename T>
void mirror(const Product& p) {
  constexpr std::int64_t kSquare = 32;
  T* const c = reinterpret_cast<T*>(p.c);
  const auto copy = [&](std::int64_t above, std::int64_t left) {
    for (std::int64_t i = above; i < std::min(above + kSquare, p.m); ++i) {
      for (std::int64_t j = std::max(left, i + 1); j < std::min(left + kSquare, p.m); ++j) {
        c[i * p.c_row + j] = c[j * p.c_row + i];
      }
    }
  };
  const std::int64_t blocks = (p.m + kSquare - 1) / kSquare;
  const std::int64_t grain = std::max<std::int64_t>(1, 65536 / (p.m * kSquare));
  parallel_for(blocks, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      for (std::int64_t j = i; j < blocks; ++j) copy(i * kSquare, j * kSquare);
    }
  });
}

void mirror(const Product& p) {
  if (p.dtype == DType::float32) return mirror<float>(p);
  if (p.dtype == DType::float64) return mirror<double>(p);
  if (p.dtype == DType::complex64) return mirror<std::complex<float>>(p);
  mirror<std::complex<double>>(p);
}

}  // namespace

void multiply_by_transpose(const Product& p) {
  constexpr std::int64_t kMax = std::int64_t{1} << 30;
  if (!blas_of_one_thread().long_integers && std::max({p.m, p.k, p.a.row, p.a.column}) > kMax) {
    return multiply(p);
  }
  if (const std::int64_t parts = parts_of_sum(p); parts > 1 && may_share_work()) {
    multiply_in_parts(p, parts,
                      [](const Product& part) { lower_triangle(blas_of_one_thread(), part); });
  } else if (p.multiplications() > kMostOfOurThreads || !may_share_work()) {
    const PoolPause pause;
    lower_triangle(blas(), p);
  } else {
    const std::int64_t each = rows_of_task(p), pieces = (p.m + each - 1) / each;
    parallel_for(pieces, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t row = (pieces - 1 - i) * each;  // the longest ones first
        lower_rows(p, row, std::min(row + each, p.m));
      }
    });
  }
  mirror(p);
}

}  // namespace cupola::cpu
