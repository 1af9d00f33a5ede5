#include "platforms/cpu/fft/fft_rows.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <vector>

#include "platforms/cpu/fft/fft_lanes.h"
#include "platforms/cpu/fft/fft_roots.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {

namespace {

constexpr std::int64_t kLongestShort = 256;  // the lanes of one row alone are wasted
// Where there are many rows, those from here on are transformed one by one if that fills all lanes,
// and longer ones than of batches in any case.
constexpr std::int64_t kShortestOfOne = 512;
constexpr std::int64_t kLongestOfBatches = 1024;
constexpr std::int64_t kWorthThreads = 1 << 15;  // elements

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Lanes from rows, some neighbours of each at a time: a cache line of memory.
template <typename T>
void gather_rows(const T* in, std::int64_t row, std::int64_t rows, std::int64_t length,
                 FftParts<T> parts, T* values) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  if (rows < kLanes<T>) std::fill_n(values, length * kElement, T(0));
  for (std::int64_t first = 0; first < length; first += 8) {
    const std::int64_t end = std::min(first + 8, length);
    for (std::int64_t i = 0; i < rows; ++i) {
      const T* const from = in + i * row;
      for (std::int64_t j = first; j < end; ++j) {
        values[j * kElement + parts.real + i] = from[2 * j];
        values[j * kElement + parts.imaginary + i] = from[2 * j + 1];
      }
    }
  }
}

template <typename T>
void scatter_rows(const T* values, std::int64_t rows, std::int64_t length, FftParts<T> parts,
                  T* out, std::int64_t row) {
  constexpr std::int64_t kElement = 2 * kLanes<T>;
  for (std::int64_t first = 0; first < length; first += 8) {
    const std::int64_t end = std::min(first + 8, length);
    for (std::int64_t i = 0; i < rows; ++i) {
      T* const to = out + i * row;
      for (std::int64_t j = first; j < end; ++j) {
        to[2 * j] = values[j * kElement + parts.real + i];
        to[2 * j + 1] = values[j * kElement + parts.imaginary + i];
      }
    }
  }
}

// As many rows at a time as there are lanes.
template <typename T>
void run_batches(const FftRows<T>& rows, std::int64_t length, const RowFft<T>& transform) {
  const std::int64_t batches = ceil_divide(rows.count, kLanes<T>);
  const std::int64_t grain = ceil_divide(kWorthThreads, length * kLanes<T>);
  const FftParts<T> parts(rows.backward);
  parallel_for(batches, grain, [&](std::int64_t first, std::int64_t end) {
    const FftBuffer<T> values(transform.lane_numbers()), work(transform.lane_numbers());
    for (std::int64_t batch = first; batch < end; ++batch) {
      const std::int64_t row = batch * kLanes<T>;
      const std::int64_t count = std::min<std::int64_t>(kLanes<T>, rows.count - row);
      gather_rows(rows.in + row * rows.in_row, rows.in_row, count, length, parts, values.data());
      const T* const result = transform.run_lanes(values.data(), work.data());
      scatter_rows(result, count, length, parts, rows.out + row * rows.out_row, rows.out_row);
    }
  });
}

template <typename T>
class ShortFft final : public RowFft<T> {
 public:
  explicit ShortFft(std::int64_t length) : lanes_(length) {}

  void run(const FftRows<T>& rows) const override { run_batches(rows, lanes_.length(), *this); }

  T* run_lanes(T* values, T* work) const override { return lanes_.transform(values, work); }
  std::int64_t lane_numbers() const override { return lanes_.size() + 2 * kLanes<T>; }

 private:
  const LaneFft<T> lanes_;
};

// A row as a matrix: its columns are transformed, then its rows, by lanes of the row's own
// neighbours (Bailey, FFTs in external or hierarchical memory, 1990).
template <typename T>
class LongFft final : public RowFft<T> {
 public:
  // The length is the product.
  LongFft(std::int64_t rows, std::int64_t columns)
      : columns_(rows), rows_(columns), roots_(rows * columns) {
    steps_.resize(static_cast<std::size_t>(columns_.size()));
    for (std::int64_t k = 0; k < rows; ++k) {
      for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) {
        T root[2];
        roots_.get(k * lane % (rows * columns), root);
        T* const step = steps_.data() + k * kElement + lane;
        step[0] = root[0];
        step[kLanes<T>] = root[1];
      }
    }
    if (rows * columns <= kLongestInLanes) set_factors();
  }

  void run(const FftRows<T>& rows) const override {
    const std::int64_t length = columns_.length() * rows_.length();
    if (rows.count >= kLanes<T> && (length <= kShortestOfOne || !fills_lanes(length))) {
      return run_batches(rows, length, *this);
    }
    const bool by_rows = rows.count > 1 && length < 2 * kWorthThreads;
    const auto run_rows = [&](std::int64_t first, std::int64_t end) {
      const FftBuffer<T> matrix(blocks() * rows_.size());
      for (std::int64_t row = first; row < end; ++row) {
        run_row(rows.in + row * rows.in_row, rows.out + row * rows.out_row,
                FftParts<T>(rows.backward), matrix.data(), !by_rows && length >= kWorthThreads);
      }
    };
    if (!by_rows) return run_rows(0, rows.count);
    parallel_for(rows.count, ceil_divide(kWorthThreads, length), run_rows);
  }

  T* run_lanes(T* values, T* work) const override {
    const std::int64_t results = columns_.length(), step = rows_.length();
    T* const column = work + (results * step + 1) * kElement;
    T* const other = column + std::max(results, step) * kElement;
    for (std::int64_t at = 0; at < step; ++at) {
      for (std::int64_t k = 0; k < results; ++k) {
        std::copy_n(values + (k * step + at) * kElement, kElement, column + k * kElement);
      }
      const T* const result = columns_.transform(column, other);
      fft_functions<T>().scale(result, results, factors_.data() + at * 2 * results,
                               work + at * kElement, step * kElement);
    }
    for (std::int64_t k = 0; k < results; ++k) {
      const T* const result = rows_.transform(work + k * step * kElement, column);
      for (std::int64_t j = 0; j < step; ++j) {
        std::copy_n(result + j * kElement, kElement, values + (j * results + k) * kElement);
      }
    }
    return values;
  }
  std::int64_t lane_numbers() const override {
    return columns_.length() * rows_.length() * kElement + kElement +
           2 * std::max(columns_.size(), rows_.size());
  }

 private:
  static constexpr std::int64_t kElement = 2 * kLanes<T>;

  bool fills_lanes(std::int64_t length) const {
    return length > kLongestOfBatches ||
           (columns_.length() % kLanes<T> == 0 && rows_.length() % kLanes<T> == 0);
  }

  // The products of roots that run() multiplies the columns' results with.
  void set_factors() {
    for (std::int64_t at = 0; at < rows_.length(); ++at) {
      const std::int64_t lane = at % kLanes<T>;
      for (std::int64_t k = 0; k < columns_.length(); ++k) {
        T base[2];
        roots_.get(k * (at - lane), base);
        const T* const step = steps_.data() + k * kElement + lane;
        factors_.push_back(step[0] * base[0] - step[kLanes<T>] * base[1]);
        factors_.push_back(step[0] * base[1] + step[kLanes<T>] * base[0]);
      }
    }
  }

  std::int64_t blocks() const { return ceil_divide(columns_.length(), kLanes<T>); }

  // `matrix` is, for each kLanes results of the columns, the lanes of the rows' transforms.
  void run_row(const T* in, T* out, FftParts<T> parts, T* matrix, bool in_parallel) const {
    const auto loop = [&](std::int64_t count, RangeFunction function) {
      if (in_parallel) return parallel_for(count, 1, function);
      function(0, count);
    };
    loop(ceil_divide(rows_.length(), kLanes<T>), [&](std::int64_t first, std::int64_t end) {
      transform_columns(in, parts, matrix, first, end);
    });
    loop(blocks(), [&](std::int64_t first, std::int64_t end) {
      const std::int64_t results = columns_.length();
      const FftBuffer<T> work(rows_.size());
      for (std::int64_t block = first; block < end; ++block) {
        const T* const result = rows_.transform(matrix + block * rows_.size(), work.data());
        const std::int64_t at = block * kLanes<T>;
        scatter_columns(result, std::min<std::int64_t>(kLanes<T>, results - at), rows_.length(),
                        parts, out + 2 * at, 2 * results);
      }
    });
  }

  void transform_columns(const T* in, FftParts<T> parts, T* matrix, std::int64_t first,
                         std::int64_t end) const {
    const std::int64_t results = columns_.length();
    const FftBuffer<T> values(columns_.size()), work(columns_.size()), bases(2 * results);
    for (std::int64_t batch = first; batch < end; ++batch) {
      const std::int64_t at = batch * kLanes<T>;
      const std::int64_t count = std::min<std::int64_t>(kLanes<T>, rows_.length() - at);
      gather_columns(in + 2 * at, 2 * rows_.length(), count, results, parts, values.data());
      T* const result = columns_.transform(values.data(), work.data());
      for (std::int64_t k = 0; k < results; ++k) roots_.get(k * at, bases.data() + 2 * k);
      fft_functions<T>().multiply(result, results, bases.data(), steps_.data());
      for (std::int64_t block = 0; block < blocks(); ++block) {
        transpose(result + block * kLanes<T> * kElement,
                  std::min<std::int64_t>(kLanes<T>, results - block * kLanes<T>), count,
                  matrix + block * rows_.size() + at * kElement);
      }
    }
  }

  // Elements become lanes and lanes elements.
  static void transpose(const T* from, std::int64_t elements, std::int64_t lanes, T* to) {
    if (elements == kLanes<T> && lanes == kLanes<T>) {
      return fft_functions<T>().transpose(from, to);
    }
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      T* const element = to + lane * kElement;
      if (elements < kLanes<T>) std::fill_n(element, kElement, T(0));
      for (std::int64_t i = 0; i < elements; ++i) {
        element[i] = from[i * kElement + lane];
        element[kLanes<T> + i] = from[i * kElement + kLanes<T> + lane];
      }
    }
  }

  const LaneFft<T> columns_, rows_;
  const FftRoots roots_;
  std::vector<T> steps_, factors_;
};

// Any length as a convolution of a smooth one (Bluestein, A linear filtering approach to the
// computation of the discrete Fourier transform, 1970).
template <typename T>
class ChirpFft final : public RowFft<T> {
 public:
  explicit ChirpFft(std::int64_t length)
      : length_(length),
        inner_length_(
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * length - 1)))),
        inner_(make_row_fft<T>(inner_length_)),
        chirp_(static_cast<std::size_t>(length)),
        filter_(static_cast<std::size_t>(inner_length_)) {
    const FftRoots roots(2 * length);
    std::int64_t square = 0;  // k * k modulo 2 * length
    for (std::int64_t k = 0; k < length; ++k) {
      T parts[2];
      roots.get(square, parts);
      const std::complex<T> root(parts[0], parts[1]);
      const T scale = T(1) / static_cast<T>(inner_length_);
      chirp_[static_cast<std::size_t>(k)] = root;
      filter_[static_cast<std::size_t>(k)] = std::conj(root) * scale;
      if (k > 0) filter_[static_cast<std::size_t>(inner_length_ - k)] = std::conj(root) * scale;
      square = (square + 2 * k + 1) % (2 * length);
    }
    T* const filter = reinterpret_cast<T*>(filter_.data());
    inner_->run({filter, 0, filter, 0, 1, false});
  }

  void run(const FftRows<T>& rows) const override {
    const std::int64_t together = std::max<std::int64_t>(1, kWorthThreads / inner_length_);
    parallel_for(ceil_divide(rows.count, together), 1, [&](std::int64_t first, std::int64_t end) {
      const FftBuffer<T> memory(2 * inner_length_ * together);
      for (std::int64_t batch = first; batch < end; ++batch) {
        FftRows<T> part = rows;
        part.in += batch * together * rows.in_row;
        part.out += batch * together * rows.out_row;
        part.count = std::min(together, rows.count - batch * together);
        run_together(part, memory.data());
      }
    });
  }

  T* run_lanes(T* values, T* work) const override {
    constexpr std::int64_t kElement = 2 * kLanes<T>;
    const auto& functions = fft_functions<T>();
    functions.scale(values, length_, pairs_of(chirp_), values, kElement);
    std::fill_n(values + length_ * kElement, (inner_length_ - length_) * kElement, T(0));
    T* result = inner_->run_lanes(values, work);
    functions.scale(result, inner_length_, pairs_of(filter_), result, kElement);
    exchange_parts(result, inner_length_);
    result = inner_->run_lanes(result, result == values ? work : values);
    exchange_parts(result, length_);
    functions.scale(result, length_, pairs_of(chirp_), result, kElement);
    return result;
  }
  std::int64_t lane_numbers() const override { return inner_->lane_numbers(); }

 private:
  static void multiply(T re, T im, const std::complex<T>& factor, T& real, T& imaginary) {
    real = re * factor.real() - im * factor.imag();
    imaginary = re * factor.imag() + im * factor.real();
  }

  void run_together(const FftRows<T>& rows, T* memory) const {
    const std::int64_t row = 2 * inner_length_;
    const int real = rows.backward ? 1 : 0;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const T* const in = rows.in + i * rows.in_row;
      T* const values = memory + i * row;
      for (std::int64_t j = 0; j < length_; ++j) {
        multiply(in[2 * j + real], in[2 * j + 1 - real], chirp(j), values[2 * j],
                 values[2 * j + 1]);
      }
      std::fill_n(values + 2 * length_, row - 2 * length_, T(0));
    }
    inner_->run({memory, row, memory, row, rows.count, false});
    for (std::int64_t i = 0; i < rows.count; ++i) {
      T* const values = memory + i * row;
      for (std::int64_t j = 0; j < inner_length_; ++j) {
        multiply(values[2 * j], values[2 * j + 1], filter_[static_cast<std::size_t>(j)],
                 values[2 * j], values[2 * j + 1]);
      }
    }
    inner_->run({memory, row, memory, row, rows.count, true});
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const T* const values = memory + i * row;
      T* const out = rows.out + i * rows.out_row;
      for (std::int64_t j = 0; j < length_; ++j) {
        multiply(values[2 * j], values[2 * j + 1], chirp(j), out[2 * j + real],
                 out[2 * j + 1 - real]);
      }
    }
  }

  static const T* pairs_of(const std::vector<std::complex<T>>& values) {
    return reinterpret_cast<const T*>(values.data());
  }

  // A backward transform is a forward one of and to values with these exchanged.
  static void exchange_parts(T* values, std::int64_t length) {
    for (std::int64_t j = 0; j < length; ++j) {
      T* const element = values + j * 2 * kLanes<T>;
      std::swap_ranges(element, element + kLanes<T>, element + kLanes<T>);
    }
  }

  const std::complex<T>& chirp(std::int64_t j) const { return chirp_[static_cast<std::size_t>(j)]; }

  const std::int64_t length_, inner_length_;
  const std::unique_ptr<const RowFft<T>> inner_;
  std::vector<std::complex<T>> chirp_, filter_;
};

// The divisor of a length that is nearest to its square root from below.
std::int64_t middle_divisor(std::int64_t length) {
  std::int64_t divisor = 1;
  while ((divisor + 1) * (divisor + 1) <= length) ++divisor;
  while (length % divisor != 0) --divisor;
  return divisor;
}

}  // namespace

template <typename T>
std::unique_ptr<const RowFft<T>> make_row_fft(std::int64_t length) {
  if (!is_smooth(length)) return std::make_unique<ChirpFft<T>>(length);
  if (length <= kLongestShort) return std::make_unique<ShortFft<T>>(length);
  const std::int64_t rows = middle_divisor(length);
  return std::make_unique<LongFft<T>>(rows, length / rows);
}

template std::unique_ptr<const RowFft<float>> make_row_fft(std::int64_t length);
template std::unique_ptr<const RowFft<double>> make_row_fft(std::int64_t length);

}  // namespace cupola::cpu
