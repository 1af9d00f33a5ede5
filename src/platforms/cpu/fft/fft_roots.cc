#include "platforms/cpu/fft/fft_roots.h"

#include <cmath>
#include <numbers>

namespace cupola::cpu {

namespace {

// exp(i pi / 4 * eighths / n) for 0 <= eighths <= n
std::complex<double> in_first_octant(std::int64_t eighths, std::int64_t n) {
  const long double angle = std::numbers::pi_v<long double> / 4 *
                            static_cast<long double>(eighths) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

// The same for 0 <= eighths <= 4 * n, by symmetry.
std::complex<double> in_upper_half(std::int64_t eighths, std::int64_t n) {
  if (eighths <= n) return in_first_octant(eighths, n);
  if (eighths <= 2 * n) {
    const std::complex<double> mirrored = in_first_octant(2 * n - eighths, n);
    return {mirrored.imag(), mirrored.real()};
  }
  const std::complex<double> mirrored = in_upper_half(4 * n - eighths, n);
  return {-mirrored.real(), mirrored.imag()};
}

}  // namespace

std::complex<double> root_of_unity(std::int64_t k, std::int64_t n) {
  const std::int64_t eighths = 8 * k;
  if (eighths <= 4 * n) return std::conj(in_upper_half(eighths, n));
  return in_upper_half(8 * n - eighths, n);
}

FftRoots::FftRoots(std::int64_t order) {
  while ((std::int64_t{1} << (2 * bits_)) < order) ++bits_;
  mask_ = (std::int64_t{1} << bits_) - 1;
  const auto add = [&](std::vector<double>& table, std::int64_t k) {
    const std::complex<double> root = root_of_unity(k, order);
    table.push_back(root.real());
    table.push_back(root.imag());
  };
  for (std::int64_t k = 0; k <= mask_ && k < order; ++k) add(low_, k);
  for (std::int64_t k = 0; k < order; k += mask_ + 1) add(high_, k);
}

}  // namespace cupola::cpu
