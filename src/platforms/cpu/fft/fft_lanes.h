#pragma once
// Complex transforms of as many rows at a time as fit a cache line, element by element: "lanes".
// Element j is kLanes real parts and then kLanes imaginary parts, one of each row. Whatever the
// instruction set and the number of rows, a row has the same bits.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cupola::cpu {

template <typename T>
inline constexpr int kLanes = 64 / static_cast<int>(sizeof(T));

inline constexpr std::int64_t kLargestRadix = 13;
inline constexpr std::int64_t kFftGrain = 1 << 14;  // numbers that are worth a thread

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
  // Element j times the pair `factors` + 2 * j, to `out` + j * out_step; in place or apart.
  void (*scale)(const T* values, std::int64_t length, const T* factors, T* out,
                std::int64_t out_step) = nullptr;
  // From the transform of `half` pairs to that of 2 * half real numbers, of which half + 1 values
  // are kept: the even numbers and the odd ones are its parts that are their own conjugates' mirror
  // images, and those that are not. Of lanes, in place; `roots` are pairs of unity's root of
  // 2 * half, from 0 on.
  void (*unfold_lanes)(T* values, std::int64_t half, const T* roots) = nullptr;
  // The way back, times 2; the result's parts lie as those of a backward transform.
  void (*fold_lanes)(T* values, std::int64_t half, const T* roots) = nullptr;
  // Of a row of pairs, in place: values `first` to `first + count - 1` and their mirror images;
  // 0 < first, 2 * (first + count - 1) <= half, count <= kFoldBlock. `roots`: from `first` on.
  void (*unfold)(T* row, std::int64_t half, std::int64_t first, std::int64_t count,
                 const T* roots) = nullptr;
  void (*fold)(const T* in, T* row, std::int64_t half, std::int64_t first, std::int64_t count,
               const T* roots) = nullptr;
};
template <typename T>
const FftFunctions<T>& fft_functions();

inline constexpr std::int64_t kFoldBlock = 64;

// Lanes from `columns` <= kLanes neighbours, zero in the others; elements are `step` numbers apart.
template <typename T>
void gather_columns(const T* in, std::int64_t step, std::int64_t columns, std::int64_t length,
                    FftParts<T> parts, T* values) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  if (columns == kLanes<T>) return fft_functions<T>().gather(in, step, length, parts, values);
  std::fill_n(values, length * kElement, T(0));
  for (std::int64_t j = 0; j < length; ++j) {
    const T* const from = in + j * step;
    T* const element = values + j * kElement;
    for (std::int64_t i = 0; i < columns; ++i) {
      element[parts.real + i] = from[2 * i];
      element[parts.imaginary + i] = from[2 * i + 1];
    }
  }
}

template <typename T>
void scatter_columns(const T* values, std::int64_t columns, std::int64_t length, FftParts<T> parts,
                     T* out, std::int64_t step) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  if (columns == kLanes<T>) return fft_functions<T>().scatter(values, length, parts, out, step);
  for (std::int64_t j = 0; j < length; ++j) {
    const T* const element = values + j * kElement;
    T* const to = out + j * step;
    for (std::int64_t i = 0; i < columns; ++i) {
      to[2 * i] = element[parts.real + i];
      to[2 * i + 1] = element[parts.imaginary + i];
    }
  }
}

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
