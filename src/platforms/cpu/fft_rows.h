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
};

template <typename T>
std::unique_ptr<const RowFft<T>> make_row_fft(std::int64_t length);

}  // namespace cupola::cpu
