#include "platforms/cpu/fft/fft_lanes.h"

#include <complex>

#include "platforms/cpu/fft/fft_roots.h"

namespace cupola::cpu {

namespace {

constexpr std::int64_t kRadices[] = {4, 2, 3, 5, 7, 11, 13};

}  // namespace

bool is_smooth(std::int64_t length) {
  for (const std::int64_t radix : kRadices) {
    while (length % radix == 0) length /= radix;
  }
  return length == 1;
}

template <typename T>
LaneFft<T>::LaneFft(std::int64_t length) : length_(length) {
  std::int64_t left = length;
  for (const std::int64_t radix : kRadices) {
    for (; left % radix == 0; left /= radix) {
      const std::int64_t groups = left / radix;
      passes_.push_back({radix, groups, length / left, nullptr});
      for (std::int64_t p = 0; p < groups; ++p) {
        for (std::int64_t r = 1; r < radix; ++r) {
          const std::complex<double> root = root_of_unity(p * r, left);
          roots_.push_back(static_cast<T>(root.real()));
          roots_.push_back(static_cast<T>(root.imag()));
        }
      }
    }
  }
  const T* roots = roots_.data();
  for (FftPass<T>& pass : passes_) {
    pass.roots = roots;
    roots += 2 * (pass.radix - 1) * pass.groups;
  }
}

template class LaneFft<float>;
template class LaneFft<double>;

}  // namespace cupola::cpu
