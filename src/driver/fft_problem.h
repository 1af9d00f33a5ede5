#pragma once
// Fourier transforms of rows.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupola {

enum class FftKind : std::uint8_t {
  forward,          // complex to complex, exp(-2 pi i j k / length)
  backward,         // complex to complex, exp(+2 pi i j k / length)
  real_to_complex,  // forward, of which length / 2 + 1 values are kept: the others are conjugates
  complex_to_real,  // backward from such values; the imaginary parts of those that are their own
                    // conjugates count as 0
};

// Not normalised: forward and then backward multiplies by the length. The values of a row lie one
// behind the other, or, as `columns` columns of each of `rows` matrices, `pitch` elements apart.
struct FftProblem {
  FftKind kind = FftKind::forward;
  bool is_double = false;   // float64 and complex128; else float32 and complex64
  std::int64_t length = 0;  // > 0; of the real rows, where one side is real
  std::int64_t rows = 0;
  const void* in = nullptr;  // stays as it is
  void* out = nullptr;       // apart from `in`
  std::int64_t in_row = 0;   // elements from one row to the next
  std::int64_t out_row = 0;
  std::int64_t columns = 1;  // more only where Driver::can_transform_columns()
  std::int64_t pitch = 1;    // elements from one value of a row to the next, at least `columns`

  std::int64_t in_length() const {
    return kind == FftKind::complex_to_real ? length / 2 + 1 : length;
  }
  std::int64_t out_length() const {
    return kind == FftKind::real_to_complex ? length / 2 + 1 : length;
  }
  // Bytes of an element.
  std::int64_t in_item() const { return item(kind != FftKind::real_to_complex); }
  std::int64_t out_item() const { return item(kind != FftKind::complex_to_real); }
  // From the first byte to the last; of problems with rows.
  std::size_t in_bytes() const { return bytes_of(in_row, in_length(), in_item()); }
  std::size_t out_bytes() const { return bytes_of(out_row, out_length(), out_item()); }
  // Rows `first` to `first + count - 1`.
  FftProblem part(std::int64_t first, std::int64_t count) const;
  // These columns of every matrix.
  FftProblem column_part(std::int64_t first, std::int64_t count) const;

 private:
  std::size_t bytes_of(std::int64_t row, std::int64_t values, std::int64_t item) const {
    return static_cast<std::size_t>(((rows - 1) * row + (values - 1) * pitch + columns) * item);
  }
  std::int64_t item(bool is_complex) const { return (is_double ? 8 : 4) * (is_complex ? 2 : 1); }
};

// Plans of transforms that a device, or a platform for all its devices, keeps for the next time.
struct FftPlanCount {
  std::size_t kept = 0;
  std::size_t most = 0;
};
inline constexpr std::size_t kFftPlansKept = 32;  // at most, unless it was set

// Libraries choose their way, and so their rounding, by the number of rows: every platform runs
// these parts one after the other, so that several devices that share them have the bits of one.
// A matrix that is too large for a part is divided by its columns. By the sizes alone.
// CUPOLA_FFT_BLOCK_ROWS=n: parts of n rows or columns, so that small arrays are divided.
// Throws ValueError for a value that is no number from 1 to 2^40.
std::vector<FftProblem> fft_blocks(const FftProblem& problem);

}  // namespace cupola
