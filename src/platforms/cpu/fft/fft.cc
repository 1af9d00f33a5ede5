#include "platforms/cpu/fft/fft.h"

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "platforms/cpu/fft/fft_columns.h"
#include "platforms/cpu/fft/fft_lanes.h"
#include "platforms/cpu/fft/fft_plan.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

std::int64_t rows_per_thread(std::int64_t length) {
  return std::max<std::int64_t>(1, kFftGrain / length);
}

// The last few plans. Threads: any.
class FftPlans {
 public:
  FftPlans() { lock_at_fork(ForkLayer::platform, mutex_); }

  template <typename T>
  std::shared_ptr<const FftPlan<T>> get(std::int64_t length, bool is_real) {
    if (auto known = find(length, is_real, std::is_same_v<T, double>)) {
      return std::static_pointer_cast<const FftPlan<T>>(std::move(known));
    }
    const auto made = std::make_shared<const FftPlan<T>>(length, is_real);
    const std::scoped_lock lock(mutex_);
    plans_.push_front(made);
    if (plans_.size() > most_) plans_.pop_back();
    return made;
  }
  FftPlanCount count() {
    const std::scoped_lock lock(mutex_);
    return {plans_.size(), most_};
  }
  void keep(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    most_ = most;
    if (plans_.size() > most) plans_.resize(most);
  }

 private:
  std::shared_ptr<const AnyFftPlan> find(std::int64_t length, bool is_real, bool is_double) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(plans_, [&](const auto& plan) {
      return plan->length == length && plan->is_real == is_real && plan->is_double == is_double;
    });
    if (found == plans_.end()) return nullptr;
    plans_.splice(plans_.begin(), plans_, found);
    return plans_.front();
  }

  std::mutex mutex_;
  std::size_t most_ = kFftPlansKept;
  std::list<std::shared_ptr<const AnyFftPlan>> plans_;  // the last used one first
};

FftPlans& fft_plans() {
  static constinit Lazy<FftPlans> plans;
  return *plans;
}

template <typename T>
void set_value(T* row, std::int64_t k, T real, T imaginary) {
  row[2 * k] = real;
  row[2 * k + 1] = imaginary;
}

// Calls function(first, count, roots) for all values but the first that are not mirror images of
// earlier ones, some at a time.
template <typename T, typename Function>
void for_blocks(std::int64_t half, const FftPlan<T>& plan, const Function& function) {
  T roots[2 * kFoldBlock];
  const std::int64_t end = half / 2 + 1;
  for (std::int64_t first = 1; first < end; first += kFoldBlock) {
    const std::int64_t count = std::min(kFoldBlock, end - first);
    function(first, count, plan.roots_from(first, count, roots));
  }
}

// From the transform of pairs to that of real numbers, in place.
template <typename T>
void unfold(T* row, std::int64_t half, const FftPlan<T>& plan) {
  const T real = row[0], imaginary = row[1];
  set_value(row, 0, real + imaginary, T(0));
  set_value(row, half, real - imaginary, T(0));
  for_blocks(half, plan, [&](std::int64_t first, std::int64_t count, const T* roots) {
    fft_functions<T>().unfold(row, half, first, count, roots);
  });
}

// The way back, times 2.
template <typename T>
void fold(const T* in, T* row, std::int64_t half, const FftPlan<T>& plan) {
  set_value(row, 0, in[0] + in[2 * half], in[0] - in[2 * half]);
  for_blocks(half, plan, [&](std::int64_t first, std::int64_t count, const T* roots) {
    fft_functions<T>().fold(in, row, half, first, count, roots);
  });
}

template <typename T>
void run_halved(const FftProblem& p, const FftPlan<T>& plan, const T* in, T* out) {
  const std::int64_t half = p.length / 2;
  const bool to_real = p.kind == FftKind::complex_to_real;
  const std::int64_t out_row = to_real ? p.out_row : 2 * p.out_row;
  const auto fix = [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
      if (to_real) {
        fold(in + i * 2 * p.in_row, out + i * out_row, half, plan);
      } else {
        unfold(out + i * out_row, half, plan);
      }
    }
  };
  if (to_real) parallel_for(p.rows, rows_per_thread(p.length), fix);
  plan.rows->run({to_real ? out : in, to_real ? out_row : p.in_row, out, out_row, p.rows, to_real});
  if (!to_real) parallel_for(p.rows, rows_per_thread(p.length), fix);
}

// The conjugates that are left out of a row of an odd length.
template <typename T>
void mirror(const T* in, std::int64_t length, T* values) {
  set_value(values, 0, in[0], T(0));
  for (std::int64_t k = 1; k <= length / 2; ++k) {
    set_value(values, k, in[2 * k], in[2 * k + 1]);
    set_value(values, length - k, in[2 * k], -in[2 * k + 1]);
  }
}

// By the complex transform, with imaginary parts of 0.
template <typename T>
void run_odd(const FftProblem& p, const FftPlan<T>& plan, const T* in, T* out) {
  const bool to_real = p.kind == FftKind::complex_to_real;
  const std::int64_t together = rows_per_thread(p.length);
  const auto run = [&](std::int64_t first, std::int64_t end) {
    const FftBuffer<T> memory(2 * p.length * std::min(together, end - first));
    T* const values = memory.data();
    for (std::int64_t at = first; at < end; at += together) {
      const std::int64_t count = std::min(together, end - at);
      for (std::int64_t i = 0; i < count; ++i) {
        T* const row = values + i * 2 * p.length;
        if (to_real) {
          mirror(in + (at + i) * 2 * p.in_row, p.length, row);
        } else {
          const T* const from = in + (at + i) * p.in_row;
          for (std::int64_t k = 0; k < p.length; ++k) set_value(row, k, from[k], T(0));
        }
      }
      plan.rows->run({values, 2 * p.length, values, 2 * p.length, count, to_real});
      for (std::int64_t i = 0; i < count; ++i) {
        const T* const row = values + i * 2 * p.length;
        if (to_real) {
          T* const to = out + (at + i) * p.out_row;
          for (std::int64_t k = 0; k < p.length; ++k) to[k] = row[2 * k];
        } else {
          std::copy_n(row, 2 * p.out_length(), out + (at + i) * 2 * p.out_row);
        }
      }
    }
  };
  parallel_for(p.rows, together, run);
}

template <typename T>
void run_as(const FftProblem& p) {
  const bool is_real = p.kind == FftKind::real_to_complex || p.kind == FftKind::complex_to_real;
  const std::shared_ptr<const FftPlan<T>> plan = fft_plans().get<T>(p.length, is_real);
  const auto* const in = static_cast<const T*>(p.in);
  auto* const out = static_cast<T*>(p.out);
  if (p.pitch > 1) return run_columns(p, *plan, in, out);
  if (plan->is_halved()) return run_halved(p, *plan, in, out);
  if (is_real) return run_odd(p, *plan, in, out);
  plan->rows->run({in, 2 * p.in_row, out, 2 * p.out_row, p.rows, p.kind == FftKind::backward});
}

}  // namespace

void run_fft(const FftProblem& problem) {
  if (problem.rows == 0) return;
  if (problem.is_double) {
    run_as<double>(problem);
  } else {
    run_as<float>(problem);
  }
}

FftPlanCount fft_plan_count() { return fft_plans().count(); }
void keep_fft_plans(std::size_t most) { fft_plans().keep(most); }

}  // namespace cupola::cpu
