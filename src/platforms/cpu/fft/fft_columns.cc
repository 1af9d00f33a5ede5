#include "platforms/cpu/fft/fft_columns.h"

#include <algorithm>

#include "platforms/cpu/fft/fft_lanes.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kFewestLanes = 4;  // of matrices that have fewer columns, others are idle

// Neighbouring columns of one matrix: as many as there are lanes, or the last ones.
template <typename T>
class Columns {
 public:
  Columns(const FftProblem& problem, const FftPlan<T>& plan)
      : problem_(problem),
        plan_(plan),
        values_(plan.rows->lane_numbers()),
        work_(plan.rows->lane_numbers()) {}

  // `in` and `out` are the first column's.
  void run(const T* in, std::int64_t count, T* out) {
    switch (problem_.kind) {
      case FftKind::forward:
      case FftKind::backward:
        return run_complex(in, count, out);
      case FftKind::real_to_complex:
        return run_from_real(in, count, out);
      case FftKind::complex_to_real:
        return run_to_real(in, count, out);
    }
    __builtin_unreachable();
  }

 private:
  static constexpr std::int64_t kElement = 2 * kLanes<T>;

  T* transformed() const { return plan_.rows->run_lanes(values_.data(), work_.data()); }

  void run_complex(const T* in, std::int64_t count, T* out) {
    const FftParts<T> parts(problem_.kind == FftKind::backward);
    const std::int64_t step = 2 * problem_.pitch;
    gather_columns(in, step, count, problem_.length, parts, values_.data());
    scatter_columns(transformed(), count, problem_.length, parts, out, step);
  }

  void run_from_real(const T* in, std::int64_t count, T* out) {
    const std::int64_t half = problem_.length / 2;
    for (std::int64_t j = 0; j < problem_.length; ++j) {
      T* const element = values_.data() + (plan_.is_halved() ? j / 2 : j) * kElement;
      const std::int64_t part = plan_.is_halved() ? j % 2 : 0;
      set_part(element + part * kLanes<T>, in + j * problem_.pitch, count);
      if (!plan_.is_halved()) set_part(element + kLanes<T>, in, 0);
    }
    T* const result = transformed();
    if (plan_.is_halved()) fft_functions<T>().unfold_lanes(result, half, plan_.pairs.data());
    scatter_columns(result, count, half + 1, FftParts<T>(false), out, 2 * problem_.pitch);
  }

  void run_to_real(const T* in, std::int64_t count, T* out) {
    const std::int64_t half = problem_.length / 2;
    const FftParts<T> backward(true);
    if (plan_.is_halved()) {
      gather_columns(in, 2 * problem_.pitch, count, half + 1, FftParts<T>(false), values_.data());
      fft_functions<T>().fold_lanes(values_.data(), half, plan_.pairs.data());
    } else {
      gather_columns(in, 2 * problem_.pitch, count, half + 1, backward, values_.data());
      mirror(half, backward);
    }
    const T* const result = transformed();
    for (std::int64_t j = 0; j < problem_.length; ++j) {
      const T* const element = result + (plan_.is_halved() ? j / 2 : j) * kElement;
      const bool is_odd = plan_.is_halved() && j % 2 == 1;
      std::copy_n(element + (is_odd ? backward.imaginary : backward.real), count,
                  out + j * problem_.pitch);
    }
  }

  static void set_part(T* part, const T* from, std::int64_t count) {
    std::copy_n(from, count, part);
    std::fill(part + count, part + kLanes<T>, T(0));
  }

  // The conjugates that are left out of columns of an odd length.
  void mirror(std::int64_t half, FftParts<T> parts) {
    std::fill_n(values_.data() + parts.imaginary, kLanes<T>, T(0));
    for (std::int64_t k = 1; k <= half; ++k) {
      const T* const from = values_.data() + k * kElement;
      T* const to = values_.data() + (problem_.length - k) * kElement;
      for (std::int64_t i = 0; i < kLanes<T>; ++i) {
        to[parts.real + i] = from[parts.real + i];
        to[parts.imaginary + i] = -from[parts.imaginary + i];
      }
    }
  }

  const FftProblem& problem_;
  const FftPlan<T>& plan_;
  const FftBuffer<T> values_, work_;
};

}  // namespace

bool is_for_columns(const FftProblem& problem) {
  return problem.columns >= kFewestLanes && problem.length <= kLongestInLanes;
}

template <typename T>
void run_columns(const FftProblem& problem, const FftPlan<T>& plan, const T* in, T* out) {
  const std::int64_t in_size = problem.in_item() / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t out_size = problem.out_item() / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t batches = (problem.columns + kLanes<T> - 1) / kLanes<T>;
  const std::int64_t grain = std::max<std::int64_t>(1, kFftGrain / (problem.length * kLanes<T>));
  parallel_for(problem.rows * batches, grain, [&](std::int64_t first, std::int64_t end) {
    Columns<T> columns(problem, plan);
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t row = i / batches, at = i % batches * kLanes<T>;
      columns.run(in + (row * problem.in_row + at) * in_size,
                  std::min<std::int64_t>(kLanes<T>, problem.columns - at),
                  out + (row * problem.out_row + at) * out_size);
    }
  });
}

template void run_columns(const FftProblem&, const FftPlan<float>&, const float*, float*);
template void run_columns(const FftProblem&, const FftPlan<double>&, const double*, double*);

}  // namespace cupola::cpu
