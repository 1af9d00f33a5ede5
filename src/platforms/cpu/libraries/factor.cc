#include "platforms/cpu/libraries/factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>
#include <vector>

#include "cupola/error.h"
#include "platforms/cpu/kernels/lu_tables.h"
#include "platforms/cpu/libraries/lapack.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// Of a text argument of one character.
constexpr std::size_t kLetter = 1;

template <typename... Arguments>
void call(void* routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(routine)(arguments...);
}

// Work memory that grows as it is needed.
class Work {
 public:
  void* of(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_ = std::make_unique_for_overwrite<char[]>(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<char[]> memory_;
  std::size_t bytes_ = 0;
};

// Factors matrices of one problem after another, each a problem of one matrix.
template <typename Integer>
class Factoring {
 public:
  Factoring(const Lapack& library, const FactorProblem& problem)
      : p_(problem),
        routines_(library.of(problem.dtype)),
        item_(item_size(problem.dtype)),
        is_complex_(problem.dtype != real_dtype(problem.dtype)),
        m_(static_cast<Integer>(problem.rows)),
        n_(static_cast<Integer>(problem.columns)),
        k_(static_cast<Integer>(problem.extent)) {}

  void run(const FactorProblem& one) {
    p_ = one;
    info_ = 0;
    switch (p_.kind) {
      case Factorisation::lu:
      case Factorisation::solve:
        solve();
        break;
      case Factorisation::cholesky:
        call(routines_.potrf, p_.upper ? "U" : "L", &n_, p_.a, &n_, &info_, kLetter);
        break;
      case Factorisation::qr:
        with_work([&](void* work, Integer* size) {
          call(routines_.geqrf, &m_, &n_, p_.a, &m_, p_.values, work, size, &info_);
        });
        break;
      case Factorisation::q:
        with_work([&](void* work, Integer* size) {
          call(routines_.orgqr, &m_, &n_, &k_, p_.a, &m_, p_.values, work, size, &info_);
        });
        break;
      case Factorisation::eigen:
        eigen();
        break;
      case Factorisation::general:
        general();
        break;
      case Factorisation::singular:
        singular();
        break;
    }
    *static_cast<std::int32_t*>(p_.info) = static_cast<std::int32_t>(info_);
  }

 private:
  // The real part of what a query left in the first element, and what rounding may have cut off.
  Integer work_size(const void* work) const {
    const bool is_double = real_dtype(p_.dtype) == DType::float64;
    const double size = is_double ? *static_cast<const double*>(work)
                                  : static_cast<double>(*static_cast<const float*>(work));
    return static_cast<Integer>(std::ceil(is_double ? size : size * (1 + 0x1p-23)));
  }

  // Calls a routine with the memory to work in that it asks for, at the first matrix.
  template <typename Routine>
  void with_work(const Routine& routine) {
    if (size_ < 0) {
      alignas(16) char answer[16] = {};
      routine(answer, &size_);
      size_ = std::max<Integer>(1, work_size(answer));
    }
    routine(work_.of(static_cast<std::size_t>(size_) * item_), &size_);
  }

  void solve() {
    auto* const pivots = static_cast<std::int64_t*>(p_.pivots);
    std::vector<Integer> narrow;
    Integer* own = reinterpret_cast<Integer*>(pivots);
    if constexpr (sizeof(Integer) != sizeof(std::int64_t)) {
      narrow.resize(static_cast<std::size_t>(p_.rows));
      own = narrow.data();
    }
    if (p_.kind == Factorisation::lu || k_ == 0) {
      call(routines_.getrf, &n_, &n_, p_.a, &n_, own, &info_);
    } else {
      call(routines_.gesv, &n_, &k_, p_.a, &n_, own, p_.b, &n_, &info_);
    }
    std::copy(narrow.begin(), narrow.end(), pivots);
  }

  void eigen() {
    const char* const job = p_.vectors ? "V" : "N";
    const char* const triangle = p_.upper ? "U" : "L";
    char real_answer[8] = {};
    Integer integer_answer = 0;
    void* reals = real_answer;
    Integer* integers = &integer_answer;
    with_work([&](void* work, Integer* size) {
      if (*size > 0) {
        if (integer_size_ < 0) {  // the query has been answered
          integer_size_ = integer_answer;
          if (is_complex_) real_size_ = work_size(real_answer);
        }
        integers = static_cast<Integer*>(
            integers_.of(static_cast<std::size_t>(integer_size_) * sizeof(Integer)));
        if (is_complex_) reals = reals_.of(static_cast<std::size_t>(real_size_) * item_ / 2);
      }
      if (is_complex_) {
        call(routines_.syevd, job, triangle, &n_, p_.a, &n_, p_.values, work, size, reals,
             &real_size_, integers, &integer_size_, &info_, kLetter, kLetter);
      } else {
        call(routines_.syevd, job, triangle, &n_, p_.a, &n_, p_.values, work, size, integers,
             &integer_size_, &info_, kLetter, kLetter);
      }
    });
  }

  // geev has the parts of real matrices' values apart.
  void general() {
    const char* const none = "N";
    const char* const job = p_.vectors ? "V" : "N";
    const auto n = static_cast<std::size_t>(n_);
    char* const reals = static_cast<char*>(reals_.of(2 * n * item_));
    with_work([&](void* work, Integer* size) {
      if (is_complex_) {
        call(routines_.geev, none, job, &n_, p_.a, &n_, p_.values, nullptr, &n_, p_.b, &n_, work,
             size, reals, &info_, kLetter, kLetter);
      } else {
        call(routines_.geev, none, job, &n_, p_.a, &n_, reals, reals + n * item_, nullptr, &n_,
             p_.b, &n_, work, size, &info_, kLetter, kLetter);
      }
    });
    if (is_complex_) return;
    if (p_.dtype == DType::float32) return join_parts<float>(reals);
    join_parts<double>(reals);
  }

  template <typename T>
  void join_parts(const void* parts) const {
    const T* const real = static_cast<const T*>(parts);
    T* const values = static_cast<T*>(p_.values);
    for (Integer i = 0; i < n_; ++i) {
      values[2 * i] = real[i];
      values[2 * i + 1] = real[n_ + i];
    }
  }

  // What gesdd wants of real memory beside that of complex numbers.
  std::size_t singular_reals() const {
    const auto m = static_cast<std::size_t>(m_);
    const auto n = static_cast<std::size_t>(n_);  // <= m
    return p_.vectors ? std::max(5 * n * n + 5 * n, 2 * m * n + 2 * n * n + n) : 7 * n;
  }

  void singular() {
    const char* const job = !p_.vectors ? "N" : p_.extent == p_.rows ? "A" : "S";
    void* const reals = is_complex_ ? reals_.of(singular_reals() * item_ / 2) : nullptr;
    void* const integers = integers_.of(8 * static_cast<std::size_t>(n_) * sizeof(Integer));
    with_work([&](void* work, Integer* size) {
      if (is_complex_) {
        call(routines_.gesdd, job, &m_, &n_, p_.a, &m_, p_.values, p_.b, &m_, p_.c, &n_, work, size,
             reals, integers, &info_, kLetter);
      } else {
        call(routines_.gesdd, job, &m_, &n_, p_.a, &m_, p_.values, p_.b, &m_, p_.c, &n_, work, size,
             integers, &info_, kLetter);
      }
    });
  }

  FactorProblem p_;
  const LapackRoutines& routines_;
  const std::size_t item_;
  const bool is_complex_;
  Integer m_, n_, k_;
  Integer info_ = 0;
  Integer size_ = -1, real_size_ = -1, integer_size_ = -1;  // of work memory; negative: ask
  Work work_, reals_, integers_;
};

// Up to this cost OpenBLAS's own threads gain little for one matrix, on an idle machine; least
// where half of the work is products of a matrix and a vector.
constexpr double kCostOfOneThread = 0x1p26;
constexpr double kCostOfOneThreadForValues = 0x1p30;
// So many matrices give ours more to do than one gives the library's; not of any size, since memory
// to work in is taken for each at a time.
constexpr std::int64_t kManyMatrices = 8;
constexpr double kCostInStacks = 0x1p31;

// By the sizes alone, those of the whole stack: bits depend on it.
bool is_of_one_thread(const FactorProblem& problem) {
  const double cost = cost_of_matrix(problem);
  const bool is_of_values = problem.kind == Factorisation::eigen ||
                            problem.kind == Factorisation::general ||
                            problem.kind == Factorisation::singular;
  return cost <= (is_of_values ? kCostOfOneThreadForValues : kCostOfOneThread) ||
         (problem.stack >= kManyMatrices && cost <= kCostInStacks);
}

const Lapack& library_of(const FactorProblem& problem) {
  return is_of_one_thread(problem) ? lapack_of_one_thread() : lapack();
}

template <typename Integer>
void run_matrices(const FactorProblem& problem, std::int64_t first, std::int64_t last) {
  Factoring<Integer> factoring(library_of(problem), problem);
  const std::vector<FactorOperand> operands = operands_of(problem);
  for (std::int64_t i = first; i < last; ++i) {
    factoring.run(matrices_of(problem, operands, i, i + 1));
  }
}

// Several small systems of real numbers are solved side by side. By the sizes alone, as above.
bool is_in_lanes(const FactorProblem& problem) {
  constexpr std::int64_t kFewest = 4;
  const bool is_known = problem.dtype == DType::float32 || problem.dtype == DType::float64;
  return is_known && problem.rows <= kLargestInLanes && problem.stack >= kFewest &&
         (problem.kind == Factorisation::lu || problem.kind == Factorisation::solve);
}

template <typename Integer>
void run_in_lanes(const FactorProblem& problem, std::int64_t first, std::int64_t last) {
  const std::vector<FactorOperand> operands = operands_of(problem);
  const FactorProblem part = matrices_of(problem, operands, first, last);
  const SmallSystems systems{.a = part.a,
                             .b = part.b,
                             .pivots = static_cast<std::int64_t*>(part.pivots),
                             .info = static_cast<std::int32_t*>(part.info),
                             .count = part.count,
                             .n = part.rows,
                             .columns = part.kind == Factorisation::solve ? part.extent : 0};
  (problem.dtype == DType::float32 ? lu_functions().float32 : lu_functions().float64)(systems);
  Factoring<Integer> factoring(library_of(problem), problem);
  for (std::int64_t i = 0; i < part.count; ++i) {
    if (systems.info[i] == kLeftAlone) factoring.run(matrices_of(part, operands, i, i + 1));
  }
}

// Matrices first to last - 1.
template <typename Integer>
void run_part(const FactorProblem& problem, std::int64_t first, std::int64_t last) {
  if (is_in_lanes(problem)) return run_in_lanes<Integer>(problem, first, last);
  run_matrices<Integer>(problem, first, last);
}

}  // namespace

void check_factor(const FactorProblem& problem) {
  const std::int64_t longest = std::max({problem.rows, problem.columns, problem.extent});
  if (library_of(problem).long_integers || longest <= INT_MAX) return;
  throw ValueError(
      fmt::format("matrices of {} x {} need a LAPACK library with 64-bit integers, which {} is not",
                  problem.rows, problem.columns, blas().path));
}

void run_factor(const FactorProblem& problem) {
  if (is_empty(problem)) return;
  const auto run = [&](std::int64_t first, std::int64_t last) {
    if (library_of(problem).long_integers) return run_part<std::int64_t>(problem, first, last);
    run_part<std::int32_t>(problem, first, last);
  };
  if (!is_of_one_thread(problem) || !may_share_work()) {
    const PoolPause pause;  // the library may compute on threads of its own
    return run(0, problem.count);
  }
  const double cost = cost_of_matrix(problem);
  const auto grain = static_cast<std::int64_t>(1e5 / (cost + 1e3));
  parallel_for(problem.count, std::max<std::int64_t>(1, grain), run);
}

}  // namespace cupola::cpu
