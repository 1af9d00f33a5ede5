// Gaussian elimination with exchanges of rows, of as many matrices at a time as a vector has lanes
// (Golub and Van Loan, "Matrix Computations", algorithm 3.4.1). Each result depends on its matrix
// alone, and not on the instruction set: products are rounded before they are subtracted.

#include "platforms/cpu/kernels/lu_tables.h"
#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

constexpr int64_t kMaxRows = ::cupola::cpu::kLargestInLanes;

template <typename T>
class Systems {
 public:
  explicit Systems(const ::cupola::cpu::SmallSystems& systems) : s_(systems), n_(systems.n) {}

  void run() {
    for (first_ = 0; first_ < s_.count; first_ += kLanes) {
      lanes_ = s_.count - first_ < kLanes ? s_.count - first_ : kLanes;
      read();
      for (int64_t k = 0; k < n_; ++k) eliminate(k);
      write();
      for (int64_t column = 0; column < s_.columns; ++column) solve(column);
    }
  }

 private:
  static constexpr int64_t kLanes = 64 / static_cast<int64_t>(sizeof(T));
  using Place = select_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T Row __attribute__((vector_size(64)));
  typedef Place Places __attribute__((vector_size(64)));

  T* matrix(int64_t lane) const { return static_cast<T*>(s_.a) + (first_ + lane) * n_ * n_; }
  Row& at(int64_t i, int64_t j) { return a_[j * n_ + i]; }

  // Lanes without a matrix have zeros.
  void read() {
    for (int64_t i = 0; i < n_ * n_; ++i) {
      for (int64_t l = 0; l < kLanes; ++l) a_[i][l] = l < lanes_ ? matrix(l)[i] : T(0);
    }
    largest_ = Row{};
    smallest_ = Row{} + infinity<T>();
    are_positive_ = ~Places{};
  }

  // Rounding decides whether such a matrix is singular, and is LAPACK's.
  bool is_left_alone(int64_t lane) const {
    constexpr T kLeast = sizeof(T) == 4 ? T(0x1p-14) : T(0x1p-40);
    return are_positive_[lane] == 0 || smallest_[lane] <= kLeast * largest_[lane];
  }

  void write() {
    for (int64_t l = 0; l < lanes_; ++l) {
      s_.info[first_ + l] = is_left_alone(l) ? ::cupola::cpu::kLeftAlone : 0;
      if (is_left_alone(l)) continue;
      for (int64_t i = 0; i < n_ * n_; ++i) matrix(l)[i] = a_[i][l];
      for (int64_t k = 0; k < n_; ++k) {
        s_.pivots[(first_ + l) * n_ + k] = static_cast<::int64_t>(places_[k][l]) + 1;
      }
    }
  }

  // The first of the largest elements below comes to the diagonal.
  void find_pivots(int64_t k) {
    Row largest = at(k, k) < T(0) ? -at(k, k) : at(k, k);
    Places places = Places{} + static_cast<Place>(k);
    for (int64_t i = k + 1; i < n_; ++i) {
      const Row size = at(i, k) < T(0) ? -at(i, k) : at(i, k);
      places = size > largest ? Places{} + static_cast<Place>(i) : places;
      largest = size > largest ? size : largest;
    }
    places_[k] = places;
    are_positive_ &= largest > T(0);  // not NaN
    largest_ = largest > largest_ ? largest : largest_;
    smallest_ = largest < smallest_ ? largest : smallest_;
  }

  // Of rows k and i, in the lanes whose pivot of step k is in row i.
  [[gnu::always_inline]] void exchange(int64_t k, int64_t i, Row& upper, Row& lower) {
    const Row above = upper, below = lower;
    const Places is_here = places_[k] == static_cast<Place>(i);
    upper = is_here ? below : above;
    lower = is_here ? above : below;
  }

  void eliminate(int64_t k) {
    find_pivots(k);
    for (int64_t i = k + 1; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) exchange(k, i, at(k, j), at(i, j));
    }
    for (int64_t i = k + 1; i < n_; ++i) at(i, k) /= at(k, k);
    for (int64_t j = k + 1; j < n_; ++j) {
      for (int64_t i = k + 1; i < n_; ++i) at(i, j) -= at(i, k) * at(k, j);
    }
  }

  void solve(int64_t column) {
    const auto place = [&](int64_t l) {
      return static_cast<T*>(s_.b) + ((first_ + l) * s_.columns + column) * n_;
    };
    Row x[kMaxRows];
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t l = 0; l < kLanes; ++l) x[i][l] = l < lanes_ ? place(l)[i] : T(0);
    }
    for (int64_t k = 0; k < n_; ++k) {
      for (int64_t i = k + 1; i < n_; ++i) exchange(k, i, x[k], x[i]);
    }
    for (int64_t k = 0; k < n_; ++k) {
      for (int64_t i = k + 1; i < n_; ++i) x[i] -= at(i, k) * x[k];
    }
    for (int64_t k = n_ - 1; k >= 0; --k) {
      x[k] /= at(k, k);
      for (int64_t i = 0; i < k; ++i) x[i] -= at(i, k) * x[k];
    }
    for (int64_t l = 0; l < lanes_; ++l) {
      for (int64_t i = 0; i < n_ && !is_left_alone(l); ++i) place(l)[i] = x[i][l];
    }
  }

  const ::cupola::cpu::SmallSystems& s_;
  const int64_t n_;
  int64_t first_ = 0, lanes_ = 0;
  Row a_[kMaxRows * kMaxRows];
  Places places_[kMaxRows];
  Row largest_, smallest_;  // pivots
  Places are_positive_;
};

template <typename T>
void solve_systems(const ::cupola::cpu::SmallSystems& systems) {
  Systems<T>(systems).run();
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_lu_kernels_, CUPOLA_CPU_TARGET)(LuFunctions& functions) {
  functions.float32 = CUPOLA_DEVICE_NAMESPACE::solve_systems<float>;
  functions.float64 = CUPOLA_DEVICE_NAMESPACE::solve_systems<double>;
}

}  // namespace cupola::cpu
