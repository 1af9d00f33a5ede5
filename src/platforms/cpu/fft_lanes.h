#pragma once
// Complex transforms of as many rows at a time as fit a cache line, element by element: "lanes".
// Element j is kLanes real parts and then kLanes imaginary parts, one of each row. Whatever the
// instruction set and the number of rows, a row has the same bits.

#include <cstdint>
#include <vector>

namespace cupola::cpu {

template <typename T>
inline constexpr int kLanes = 64 / static_cast<int>(sizeof(T));

inline constexpr std::int64_t kLargestRadix = 13;

// One pass of Stockham's algorithm with decimation in frequency (Van Loan, Computational
// Frameworks for the Fast Fourier Transform, 1.7): transforms of `radix` elements, which are
// groups * stride apart, times the roots of unity of the length that is left.
template <typename T>
struct FftPass {
  std::int64_t radix;
  std::int64_t groups;
  std::int64_t stride;
  const T* roots;  // of group p, result r > 0: at 2 * ((radix - 1) * p + r - 1)
};

// Where the parts of an element are that the forward transform takes for real and imaginary: a
// backward transform is a forward one with these exchanged, of its values and of its results.
template <typename T>
struct FftParts {
  explicit FftParts(bool backward) : real(backward ? kLanes<T> : 0), imaginary(kLanes<T> - real) {}
  std::int64_t real, imaginary;
};

// Of one instruction set.
template <typename T>
struct FftFunctions {
  // The passes, in turns from one memory to the other. Returns the one with the result.
  T* (*transform)(const FftPass<T>* passes, int count, T* values, T* work) = nullptr;
  // Lane i of element j is multiplied by bases[j] * steps[j][i]: `bases` are pairs, `steps` lanes.
  void (*multiply)(T* values, std::int64_t length, const T* bases, const T* steps) = nullptr;
  // Lanes from kLanes neighbouring pairs, and back; the pairs of elements are `step` numbers apart.
  void (*gather)(const T* in, std::int64_t step, std::int64_t length, FftParts<T> parts,
                 T* values) = nullptr;
  void (*scatter)(const T* values, std::int64_t length, FftParts<T> parts, T* out,
                  std::int64_t step) = nullptr;
  // Of kLanes elements, which become lanes, and lanes elements.
  void (*transpose)(const T* from, T* to) = nullptr;
};
template <typename T>
const FftFunctions<T>& fft_functions();

// No prime factor is larger than kLargestRadix.
bool is_smooth(std::int64_t length);

// Forward transforms of a smooth length.
template <typename T>
class LaneFft {
 public:
  explicit LaneFft(std::int64_t length);
  LaneFft(const LaneFft&) = delete;
  LaneFft& operator=(const LaneFft&) = delete;
  std::int64_t length() const { return length_; }
  // Numbers in each memory of transform().
  std::int64_t size() const { return 2 * kLanes<T> * length_; }
  T* transform(T* values, T* work) const {
    return fft_functions<T>().transform(passes_.data(), static_cast<int>(passes_.size()), values,
                                        work);
  }

 private:
  const std::int64_t length_;
  std::vector<T> roots_;  // of all passes
  std::vector<FftPass<T>> passes_;
};

}  // namespace cupola::cpu
