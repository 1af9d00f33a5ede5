#pragma once
// Complex transforms of rows of any length.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace cupola::cpu {

// 64-byte aligned, contents undefined.
template <typename T>
class FftBuffer {
 public:
  explicit FftBuffer(std::int64_t count)
      : data_(static_cast<T*>(
            ::operator new(static_cast<std::size_t>(count) * sizeof(T), kAlignment))) {}
  ~FftBuffer() { ::operator delete(data_, kAlignment); }
  FftBuffer(const FftBuffer&) = delete;
  FftBuffer& operator=(const FftBuffer&) = delete;
  T* data() const { return data_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  T* const data_;
};

// Pairs of a real and an imaginary part. Distances between rows count numbers.
template <typename T>
struct FftRows {
  const T* in;
  std::int64_t in_row;
  T* out;  // `in` with the same distance, or apart from it
  std::int64_t out_row;
  std::int64_t count;
  bool backward;
};

template <typename T>
class RowFft {
 public:
  virtual ~RowFft() = default;
  // Returns when `out` is written. The bits of a row do not depend on the others.
  virtual void run(const FftRows<T>& rows) const = 0;

  // Forward transforms of as many rows as there are lanes (fft_lanes.h), with the bits of run(), by
  // the calling thread. Returns the memory where the results are; the contents of the other are
  // undefined. Each holds lane_numbers(), of which the first are the elements and one more.
  virtual T* run_lanes(T* values, T* work) const = 0;
  virtual std::int64_t lane_numbers() const = 0;
};

// Of the longest rows that run_lanes() takes.
inline constexpr std::int64_t kLongestInLanes = 1 << 13;

template <typename T>
std::unique_ptr<const RowFft<T>> make_row_fft(std::int64_t length);

}  // namespace cupola::cpu
