#include "platforms/cpu/libraries/gemm.h"

#include <memory>

#include "platforms/cpu/interpreter/loops.h"
#include "platforms/cpu/libraries/blas.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// A task copies the other matrix into the library's order for itself.
constexpr std::int64_t kLeastRows = 128;
constexpr std::int64_t kLeastColumns = 256;  // which are further from one another in c

// Beyond so many multiplications tasks are tiles. The library copies a tile's rows of a and its
// columns of b: those that copy least come first.
constexpr double kLeastOfTiles = 0x1p27;
struct Tile {
  std::int64_t rows, columns;
  std::int64_t count_of(const Product& p) const {
    return ((p.m + rows - 1) / rows) * ((p.n + columns - 1) / columns);
  }
};
constexpr Tile kTiles[] = {{1024, 2048}, {512, 2048}, {512, 1024}, {512, 512},
                           {256, 1024},  {256, 512},  {128, 512}};

template <typename Integer, typename T>
void call_real(void* function, const Product& p, bool accumulate) {
  using Gemm = void (*)(int, int, int, Integer, Integer, Integer, T, const void*, Integer,
                        const void*, Integer, T, void*, Integer);
  reinterpret_cast<Gemm>(function)(
      kRowMajor, p.a.transposed() ? kTranspose : kNoTranspose,
      p.b.transposed() ? kTranspose : kNoTranspose, static_cast<Integer>(p.m),
      static_cast<Integer>(p.n), static_cast<Integer>(p.k), T(1), p.a.data,
      static_cast<Integer>(p.a.leading(p.m, p.k)), p.b.data,
      static_cast<Integer>(p.b.leading(p.k, p.n)), T(accumulate ? 1 : 0), p.c,
      static_cast<Integer>(std::max(p.c_row, p.n)));
}

template <typename Integer, typename T>
void call_complex(void* function, const Product& p, bool accumulate) {
  using Gemm = void (*)(int, int, int, Integer, Integer, Integer, const T*, const void*, Integer,
                        const void*, Integer, const T*, void*, Integer);
  const T one[2] = {1, 0};
  const T beta[2] = {T(accumulate ? 1 : 0), 0};
  reinterpret_cast<Gemm>(function)(kRowMajor, p.a.transposed() ? kTranspose : kNoTranspose,
                                   p.b.transposed() ? kTranspose : kNoTranspose,
                                   static_cast<Integer>(p.m), static_cast<Integer>(p.n),
                                   static_cast<Integer>(p.k), one, p.a.data,
                                   static_cast<Integer>(p.a.leading(p.m, p.k)), p.b.data,
                                   static_cast<Integer>(p.b.leading(p.k, p.n)), beta, p.c,
                                   static_cast<Integer>(std::max(p.c_row, p.n)));
}

template <typename Integer>
void call(const Blas& library, const Product& p, bool accumulate) {
  void* const gemm = library.gemm.of(p.dtype);
  if (p.dtype == DType::float32) return call_real<Integer, float>(gemm, p, accumulate);
  if (p.dtype == DType::float64) return call_real<Integer, double>(gemm, p, accumulate);
  if (p.dtype == DType::complex64) return call_complex<Integer, float>(gemm, p, accumulate);
  call_complex<Integer, double>(gemm, p, accumulate);
}

// Rows i and more, columns j and more, at most m by n of them, of c.
Product part_of(const Product& p, std::int64_t i, std::int64_t m, std::int64_t j, std::int64_t n) {
  const auto size = static_cast<std::int64_t>(item_size(p.dtype));
  Product part = p;
  part.m = std::min(m, p.m - i);
  part.n = std::min(n, p.n - j);
  part.a.data += i * p.a.row * size;
  part.b.data += j * p.b.column * size;
  part.c += (i * p.c_row + j) * size;
  return part;
}

// Dimensions that the library's integers cannot hold are cut.
void multiply(const Blas& library, const Product& product) {
  if (library.long_integers) return call<std::int64_t>(library, product, false);
  constexpr std::int64_t kMax = std::int64_t{1} << 30;
  const auto size = static_cast<std::int64_t>(item_size(product.dtype));
  for (std::int64_t i = 0; i < product.m; i += kMax) {
    for (std::int64_t j = 0; j < product.n; j += kMax) {
      for (std::int64_t l = 0; l < product.k; l += kMax) {
        Product part = part_of(product, i, kMax, j, kMax);
        part.k = std::min(kMax, product.k - l);
        part.a.data += l * product.a.column * size;
        part.b.data += l * product.b.row * size;
        call<int>(library, part, l > 0);
      }
    }
  }
}

double cost_of(const Product& p) { return p.multiplications() * cost_of_multiplication(p.dtype); }

// Of `all` rows or columns of the product, in pieces of nearly the same size.
std::int64_t piece_of(const Product& p, std::int64_t all, std::int64_t least) {
  constexpr std::int64_t kWhole = 8;  // what kernels of libraries compute at a time
  const double cost = std::max(1.0, cost_of(p) / static_cast<double>(all));
  const std::int64_t worth = std::max(least, static_cast<std::int64_t>(kCostOfTask / cost));
  const std::int64_t pieces = (all + worth - 1) / worth;
  return ((all + pieces - 1) / pieces + kWhole - 1) / kWhole * kWhole;
}

// Of which there are some for each thread, so that none waits long for another.
Tile tile_of(const Product& p) {
  const int threads = pool_size();
  if (threads == 1) return {p.m, p.n};
  if (p.multiplications() > kLeastOfTiles) {
    const auto* const tile =
        std::find_if(std::begin(kTiles), std::end(kTiles) - 1,
                     [&](const Tile& each) { return each.count_of(p) >= 2 * threads; });
    return *tile;
  }
  if (p.m >= p.n) return {rows_of_task(p), p.n};
  return {p.m, piece_of(p, p.n, kLeastColumns)};
}

}  // namespace

std::int64_t rows_of_task(const Product& p) { return piece_of(p, p.m, kLeastRows); }

std::int64_t parts_of_sum(const Product& p) {
  constexpr std::int64_t kLeastLength = 512, kMaxParts = 8;
  if (p.m > kLeastRows || p.n > kLeastColumns) return 1;
  const auto worth = static_cast<std::int64_t>(cost_of(p) / kCostOfTask / 2);
  return std::clamp<std::int64_t>(std::min(worth, p.k / kLeastLength), 1, kMaxParts);
}

void multiply_in_parts(const Product& p, std::int64_t parts,
                       const std::function<void(const Product&)>& multiply) {
  const auto size = static_cast<std::int64_t>(item_size(p.dtype));
  const std::int64_t bytes = p.m * p.n * size, each = (p.k + parts - 1) / parts;
  const auto others =
      std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>((parts - 1) * bytes));
  parallel_for(parts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      Product part = p;
      part.a.data += i * each * p.a.column * size;
      part.b.data += i * each * p.b.row * size;
      part.k = std::min(each, p.k - i * each);
      if (i > 0) {
        part.c = others.get() + (i - 1) * bytes;
        part.c_row = p.n;
      }
      multiply(part);
    }
  });
  const DType both[] = {p.dtype, p.dtype};
  const LoopFunction add = find_loop(UfuncId::add, find_loop_number(UfuncId::add, both), 0);
  for (std::int64_t row = 0; row < p.m; ++row) {
    char* const sum = p.c + row * p.c_row * size;
    for (std::int64_t i = 1; i < parts; ++i) {
      const void* inputs[] = {sum, others.get() + (i - 1) * bytes + row * p.n * size};
      add(inputs, sum, p.n);
    }
  }
}

void multiply(const Product& p) {
  if (const std::int64_t parts = parts_of_sum(p); parts > 1 && may_share_work()) {
    return multiply_in_parts(p, parts,
                             [](const Product& part) { multiply(blas_of_one_thread(), part); });
  }
  if (p.multiplications() > kMostOfOurThreads || !may_share_work()) {
    const PoolPause pause;
    return multiply(blas(), p);
  }
  const Tile tile = tile_of(p);
  const Blas& library = blas_of_one_thread();
  const std::int64_t across = (p.n + tile.columns - 1) / tile.columns;
  parallel_for(tile.count_of(p), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      multiply(library, part_of(p, i / across * tile.rows, tile.rows, i % across * tile.columns,
                                tile.columns));
    }
  });
}

}  // namespace cupola::cpu
