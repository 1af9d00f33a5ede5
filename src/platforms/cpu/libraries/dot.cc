#include "platforms/cpu/libraries/dot.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// Elements of one call where the library is a copy without threads.
constexpr std::int64_t kDotBlock = 32768;

template <typename Integer, typename T>
void call_real(void* function, const DotProduct& p) {
  using Dot = T (*)(Integer, const void*, Integer, const void*, Integer);
  const T sum = reinterpret_cast<Dot>(function)(static_cast<Integer>(p.length), p.a,
                                                static_cast<Integer>(p.a_stride), p.b,
                                                static_cast<Integer>(p.b_stride));
  std::memcpy(p.result, &sum, sizeof sum);
}

template <typename Integer>
void call_complex(void* function, const DotProduct& p) {
  using Dot = void (*)(Integer, const void*, Integer, const void*, Integer, void*);
  reinterpret_cast<Dot>(function)(static_cast<Integer>(p.length), p.a,
                                  static_cast<Integer>(p.a_stride), p.b,
                                  static_cast<Integer>(p.b_stride), p.result);
}

template <typename Integer>
void call(const Blas& library, const DotProduct& p) {
  void* const dot = library.dot.of(p.dtype);
  if (p.dtype == DType::float32) return call_real<Integer, float>(dot, p);
  if (p.dtype == DType::float64) return call_real<Integer, double>(dot, p);
  call_complex<Integer>(dot, p);
}

void multiply_block(const Blas& library, const DotProduct& p) {
  if (library.long_integers) return call<std::int64_t>(library, p);
  call<int>(library, p);
}

std::int64_t length_of_block() { return may_share_work() ? kDotBlock : kBlockWithoutCopy; }

// Elements first to first + length - 1, as far as there are such.
DotProduct block_of(const DotProduct& p, std::int64_t first, std::int64_t length) {
  const auto size = static_cast<std::int64_t>(item_size(p.dtype));
  DotProduct block = p;
  block.length = std::min(length, p.length - first);
  block.a += first * p.a_stride * size;
  block.b += first * p.b_stride * size;
  return block;
}

// Sum of numbers in pairs, in place: its error grows slowly. Of `parts` numbers each.
template <typename T>
void sum_in_pairs(T* sums, std::int64_t count, std::int64_t parts, char* result) {
  for (std::int64_t step = 1; step < count; step *= 2) {
    for (std::int64_t i = 0; i + step < count; i += 2 * step) {
      for (std::int64_t j = 0; j < parts; ++j) sums[i * parts + j] += sums[(i + step) * parts + j];
    }
  }
  std::memcpy(result, sums, static_cast<std::size_t>(parts) * sizeof(T));
}

template <typename T>
void multiply_long(const Blas& library, const DotProduct& p) {
  const std::int64_t parts = static_cast<std::int64_t>(item_size(p.dtype) / sizeof(T));
  const std::int64_t length = length_of_block();
  const std::int64_t blocks = (p.length + length - 1) / length;
  const std::unique_ptr<T[]> sums(new T[static_cast<std::size_t>(blocks * parts)]);
  const double cost = cost_to_read(static_cast<std::int64_t>(item_size(p.dtype)) * length);
  parallel_for(blocks, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      DotProduct block = block_of(p, i * length, length);
      block.result = reinterpret_cast<char*>(sums.get() + i * parts);
      multiply_block(library, block);
    }
  });
  sum_in_pairs(sums.get(), blocks, parts, p.result);
}

}  // namespace

void multiply(const Blas& library, const DotProduct& p) {
  if (p.length <= length_of_block()) return multiply_block(library, p);
  if (real_dtype(p.dtype) == DType::float32) return multiply_long<float>(library, p);
  multiply_long<double>(library, p);
}

}  // namespace cupola::cpu
