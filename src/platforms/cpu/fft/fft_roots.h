#pragma once
// Roots of unity.

#include <complex>
#include <cstdint>
#include <vector>

namespace cupola::cpu {

// exp(-2 pi i k / n), rounded once; exact at multiples of a quarter. 0 <= k <= n < 2^60.
std::complex<double> root_of_unity(std::int64_t k, std::int64_t n);

// All roots of one order as products of two, from tables of about sqrt(n) elements. Both factors
// are rounded once: the error is at most 2 units of the last place.
class FftRoots {
 public:
  explicit FftRoots(std::int64_t order);
  // 0 <= k < order. Real and imaginary part: pairs, as a complex number that is returned goes
  // through memory in parts and comes back as a whole, which takes ten times as long.
  template <typename T>
  void get(std::int64_t k, T* pair) const {
    const double* const a = high_.data() + 2 * (k >> bits_);
    const double* const b = low_.data() + 2 * (k & mask_);
    pair[0] = static_cast<T>(a[0] * b[0] - a[1] * b[1]);
    pair[1] = static_cast<T>(a[0] * b[1] + a[1] * b[0]);
  }

 private:
  int bits_ = 0;
  std::int64_t mask_ = 0;
  std::vector<double> high_, low_;
};

}  // namespace cupola::cpu
