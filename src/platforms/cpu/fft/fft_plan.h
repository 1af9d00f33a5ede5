#pragma once
// What transforms of one length are made of.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "platforms/cpu/fft/fft_roots.h"
#include "platforms/cpu/fft/fft_rows.h"

namespace cupola::cpu {

struct AnyFftPlan {
  AnyFftPlan(std::int64_t length_, bool is_real_, bool is_double_)
      : length(length_), is_real(is_real_), is_double(is_double_) {}
  virtual ~AnyFftPlan() = default;

  const std::int64_t length;
  const bool is_real;
  const bool is_double;
};

template <typename T>
struct FftPlan final : AnyFftPlan {
  FftPlan(std::int64_t length_, bool is_real_)
      : AnyFftPlan(length_, is_real_, std::is_same_v<T, double>),
        rows(make_row_fft<T>(is_halved() ? length / 2 : length)),
        roots(is_halved() ? length : 1) {
    if (!is_halved()) return;
    pairs.resize(2 * static_cast<std::size_t>(std::min(length / 4 + 1, kKeptRoots)));
    for (std::size_t k = 0; k < pairs.size() / 2; ++k) {
      roots.get(static_cast<std::int64_t>(k), pairs.data() + 2 * k);
    }
  }
  // Of a halved length, `count` pairs from 0 <= first on, up to length / 4; in `memory` if need be.
  const T* roots_from(std::int64_t first, std::int64_t count, T* memory) const {
    if (first + count <= kKeptRoots) return pairs.data() + 2 * first;
    for (std::int64_t i = 0; i < count; ++i) roots.get(first + i, memory + 2 * i);
    return memory;
  }
  // Neighbours of a real row are the parts of complex values.
  bool is_halved() const { return is_real && length % 2 == 0; }

  const std::unique_ptr<const RowFft<T>> rows;
  const FftRoots roots;
  static constexpr std::int64_t kKeptRoots = 1 << 14;
  std::vector<T> pairs;  // those of the smallest k
};

}  // namespace cupola::cpu
