// Every kind of factorisation, of stacks, on every platform that is usable here and on sets of its
// devices: what was factored is the product of its factors again.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;
using Complex = std::complex<double>;

constexpr std::int64_t kMatrices = 5;

template <typename T>
T number(double real, double imaginary) {
  if constexpr (requires(T value) { value.real(); }) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(real), static_cast<Part>(imaginary));
  } else {
    return static_cast<T>(real);
  }
}

// Column-major, in double precision.
struct Matrix {
  std::int64_t rows, columns;
  std::vector<Complex> values;

  Matrix(std::int64_t m, std::int64_t n)
      : rows(m), columns(n), values(static_cast<std::size_t>(m * n)) {}
  Complex& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(j * rows + i)];
  }
  Complex at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(j * rows + i)];
  }
};

Matrix adjoint(const Matrix& a) {
  Matrix result(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) result.at(j, i) = std::conj(a.at(i, j));
  }
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t k = 0; k < a.columns; ++k) result.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return result;
}

Matrix identity(std::int64_t n) {
  Matrix result(n, n);
  for (std::int64_t i = 0; i < n; ++i) result.at(i, i) = 1;
  return result;
}

Matrix diagonal_of(const std::vector<double>& values) {
  Matrix result(std::ssize(values), std::ssize(values));
  for (std::int64_t i = 0; i < result.rows; ++i) {
    result.at(i, i) = values[static_cast<std::size_t>(i)];
  }
  return result;
}

// On and above the diagonal, or below it with ones on it.
Matrix upper(const Matrix& a, std::int64_t rows) {
  Matrix result(rows, a.columns);
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i <= std::min(j, rows - 1); ++i) result.at(i, j) = a.at(i, j);
  }
  return result;
}
Matrix unit_lower(const Matrix& a) {
  Matrix result = identity(a.rows);
  for (std::int64_t j = 0; j < a.rows; ++j) {
    for (std::int64_t i = j + 1; i < a.rows; ++i) result.at(i, j) = a.at(i, j);
  }
  return result;
}

void expect_near(const Matrix& found, const Matrix& wanted, double tolerance) {
  ASSERT_EQ(found.values.size(), wanted.values.size());
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    ASSERT_LE(std::abs(found.values[i] - wanted.values[i]), tolerance) << "element " << i;
  }
}

class FactorContract : public DriverContract {
 protected:
  // Runs a test for each dtype; where there is no library, not at all.
  template <typename Test>
  void for_each_dtype(const Test& test) {
    try {
      test(float{});
      test(double{});
      test(std::complex<float>{});
      test(std::complex<double>{});
    } catch (const LibraryError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

// A stack of matrices of one dtype, on the device and as it was.
template <typename T>
struct Stack {
  std::int64_t rows, columns;
  std::vector<T> host;
  T* data = nullptr;

  Stack(std::int64_t m, std::int64_t n) : rows(m), columns(n) {
    std::mt19937 random(static_cast<unsigned>(7 * m + n));
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    host.resize(static_cast<std::size_t>(kMatrices * m * n));
    for (T& value : host) {
      const double real = uniform(random);
      value = number<T>(real, uniform(random));
    }
  }
  std::size_t each() const { return static_cast<std::size_t>(rows * columns); }
  Matrix matrix(const std::vector<T>& from, std::int64_t i) const {
    Matrix result(rows, columns);
    const std::size_t first = static_cast<std::size_t>(i) * each();
    std::transform(from.begin() + static_cast<std::ptrdiff_t>(first),
                   from.begin() + static_cast<std::ptrdiff_t>(first + each()),
                   result.values.begin(), [](T value) { return Complex(value); });
    return result;
  }
  Matrix matrix(std::int64_t i) const { return matrix(host, i); }
  void set(std::int64_t i, const Matrix& from) {
    for (std::size_t e = 0; e < each(); ++e) {
      host[static_cast<std::size_t>(i) * each() + e] =
          number<T>(from.values[e].real(), from.values[e].imag());
    }
  }
};

template <typename T>
constexpr double kTolerance = sizeof(T) == sizeof(float) || std::is_same_v<T, std::complex<float>>
                                  ? 2e-5
                                  : 1e-13;
template <typename T>
using Real = decltype(std::abs(T{}));

TEST_P(FactorContract, SolveAndLu) {
  for_each_dtype([&](auto example) {
    using T = decltype(example);
    const std::int64_t n = 7, columns = 3;
    Stack<T> a(n, n);
    Stack<T> b(n, columns);
    a.set(3, Matrix(n, n));  // of zeros
    auto* const pivots = static_cast<std::int64_t*>(allocate(kMatrices * n * 8));
    FactorProblem problem{.kind = Factorisation::lu,
                          .dtype = dtype_of<T>,
                          .rows = n,
                          .columns = n,
                          .count = kMatrices,
                          .a = upload(a.host),
                          .pivots = pivots,
                          .info = allocate(kMatrices * 4)};
    driver().factor(problem, stream());
    const auto factors = read<T>(problem.a, a.host.size());
    const auto rows = read<std::int64_t>(pivots, static_cast<std::size_t>(kMatrices * n));
    const auto info = read<std::int32_t>(problem.info, kMatrices);
    for (std::int64_t i = 0; i < kMatrices; ++i) {
      EXPECT_EQ(info[static_cast<std::size_t>(i)], i == 3 ? 1 : 0);
      const Matrix lu = a.matrix(factors, i);
      Matrix product = unit_lower(lu) * upper(lu, n);
      for (std::int64_t row = n; row-- > 0;) {
        const std::int64_t other = rows[static_cast<std::size_t>(i * n + row)] - 1;
        ASSERT_TRUE(other >= row && other < n) << other;
        for (std::int64_t j = 0; j < n; ++j) std::swap(product.at(row, j), product.at(other, j));
      }
      expect_near(product, a.matrix(i), kTolerance<T>);
    }

    problem.kind = Factorisation::solve;
    problem.a = upload(a.host);
    problem.b = upload(b.host);
    problem.extent = columns;
    driver().factor(problem, stream());
    const auto x = read<T>(problem.b, b.host.size());
    EXPECT_EQ(read<std::int32_t>(problem.info, kMatrices), info);
    for (std::int64_t i = 0; i < kMatrices; ++i) {
      const Matrix solution = b.matrix(x, i);
      double size = 1;
      for (const Complex& value : solution.values) size = std::max(size, std::abs(value));
      if (i != 3) expect_near(a.matrix(i) * solution, b.matrix(i), kTolerance<T> * size);
    }
  });
}

// Small and larger ones, which platforms may invert in other ways.
TEST_P(FactorContract, Inverses) {
  for_each_dtype([&](auto example) {
    using T = decltype(example);
    for (const std::int64_t n : {1, 5, 40}) {
      Stack<T> a(n, n);
      a.set(2, Matrix(n, n));  // of zeros
      Stack<T> b(n, n);
      Matrix identity(n, n);
      for (std::int64_t j = 0; j < n; ++j) identity.at(j, j) = 1;
      for (std::int64_t i = 0; i < kMatrices; ++i) b.set(i, identity);
      const FactorProblem problem{.kind = Factorisation::solve,
                                  .dtype = dtype_of<T>,
                                  .rows = n,
                                  .columns = n,
                                  .count = kMatrices,
                                  .extent = n,
                                  .inverts = true,
                                  .a = upload(a.host),
                                  .b = upload(b.host),
                                  .pivots = allocate(kMatrices * n * 8),
                                  .info = allocate(kMatrices * 4)};
      driver().factor(problem, stream());
      const auto inverses = read<T>(problem.b, b.host.size());
      const auto info = read<std::int32_t>(problem.info, kMatrices);
      for (std::int64_t i = 0; i < kMatrices; ++i) {
        EXPECT_EQ(info[static_cast<std::size_t>(i)] > 0, i == 2);
        if (i == 2) continue;
        const Matrix inverse = b.matrix(inverses, i);
        double size = 1;
        for (const Complex& value : inverse.values) size = std::max(size, std::abs(value));
        expect_near(a.matrix(i) * inverse, identity, kTolerance<T> * size * static_cast<double>(n));
      }
    }
  });
}

TEST_P(FactorContract, Cholesky) {
  for_each_dtype([&](auto example) {
    using T = decltype(example);
    const std::int64_t n = 6;
    Stack<T> a(n, n);
    for (std::int64_t i = 0; i < kMatrices; ++i) {
      Matrix square = a.matrix(i) * adjoint(a.matrix(i));
      for (std::int64_t j = 0; j < n; ++j) square.at(j, j) += i == 2 ? -100.0 : 1.0;
      a.set(i, square);
    }
    for (const bool is_upper : {false, true}) {
      const FactorProblem problem{.kind = Factorisation::cholesky,
                                  .dtype = dtype_of<T>,
                                  .rows = n,
                                  .columns = n,
                                  .count = kMatrices,
                                  .upper = is_upper,
                                  .a = upload(a.host),
                                  .info = allocate(kMatrices * 4)};
      driver().factor(problem, stream());
      const auto factors = read<T>(problem.a, a.host.size());
      const auto info = read<std::int32_t>(problem.info, kMatrices);
      for (std::int64_t i = 0; i < kMatrices; ++i) {
        EXPECT_EQ(info[static_cast<std::size_t>(i)] > 0, i == 2);
        if (i == 2) continue;
        const Matrix found = a.matrix(factors, i);
        const Matrix u = upper(is_upper ? found : adjoint(found), n);
        expect_near(adjoint(u) * u, a.matrix(i), 10 * kTolerance<T>);
      }
    }
  });
}

TEST_P(FactorContract, QrAndItsColumns) {
  for_each_dtype([&](auto example) {
    using T = decltype(example);
    for (const auto& [m, n, columns] :
         std::vector<std::array<std::int64_t, 3>>{{6, 4, 4}, {6, 4, 6}, {3, 5, 3}, {1, 1, 1}}) {
      const std::int64_t shorter = std::min(m, n);
      Stack<T> a(m, n);
      FactorProblem problem{
          .kind = Factorisation::qr,
          .dtype = dtype_of<T>,
          .rows = m,
          .columns = n,
          .count = kMatrices,
          .a = upload(a.host),
          .values = allocate(static_cast<std::size_t>(kMatrices * shorter) * sizeof(T)),
          .info = allocate(kMatrices * 4)};
      driver().factor(problem, stream());
      const auto reflectors = read<T>(problem.a, a.host.size());
      Stack<T> q(m, columns);
      for (std::int64_t i = 0; i < kMatrices; ++i) {
        const Matrix from = a.matrix(reflectors, i);
        Matrix begun(m, columns);
        std::copy_n(from.values.begin(), m * shorter, begun.values.begin());
        q.set(i, begun);
      }
      problem.kind = Factorisation::q;
      problem.columns = columns;
      problem.extent = shorter;
      problem.a = upload(q.host);
      driver().factor(problem, stream());
      const auto made = read<T>(problem.a, q.host.size());
      for (std::int64_t i = 0; i < kMatrices; ++i) {
        const Matrix orthonormal = q.matrix(made, i);
        expect_near(adjoint(orthonormal) * orthonormal, identity(columns), kTolerance<T>);
        expect_near(orthonormal * upper(a.matrix(reflectors, i), columns), a.matrix(i),
                    kTolerance<T>);
      }
      EXPECT_EQ(read<std::int32_t>(problem.info, kMatrices),
                std::vector<std::int32_t>(kMatrices, 0));
    }
  });
}

template <typename T>
std::vector<double> values_of(const std::vector<Real<T>>& all, std::int64_t i, std::int64_t n) {
  const auto first = all.begin() + i * n;
  return {first, first + n};
}

TEST_P(FactorContract, Eigenvalues) {
  for_each_dtype([&](auto example) {
    using T = decltype(example);
    const std::int64_t n = 6;
    Stack<T> a(n, n);
    for (const bool is_upper : {false, true}) {
      for (const bool vectors : {false, true}) {
        const FactorProblem problem{.kind = Factorisation::eigen,
                                    .dtype = dtype_of<T>,
                                    .rows = n,
                                    .columns = n,
                                    .count = kMatrices,
                                    .upper = is_upper,
                                    .vectors = vectors,
                                    .a = upload(a.host),
                                    .values = allocate(kMatrices * n * sizeof(Real<T>)),
                                    .info = allocate(kMatrices * 4)};
        driver().factor(problem, stream());
        const auto found = read<T>(problem.a, a.host.size());
        const auto values = read<Real<T>>(problem.values, kMatrices * n);
        EXPECT_EQ(read<std::int32_t>(problem.info, kMatrices),
                  std::vector<std::int32_t>(kMatrices, 0));
        for (std::int64_t i = 0; i < kMatrices; ++i) {
          const Matrix given = a.matrix(i);
          Matrix whole = upper(is_upper ? given : adjoint(given), n);  // the triangle that counts
          double trace = 0;
          for (std::int64_t j = 0; j < n; ++j) {
            whole.at(j, j) = given.at(j, j).real();
            trace += given.at(j, j).real();
            for (std::int64_t k = 0; k < j; ++k) whole.at(j, k) = std::conj(whole.at(k, j));
          }
          const std::vector<double> own = values_of<T>(values, i, n);
          EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
          EXPECT_NEAR(std::accumulate(own.begin(), own.end(), 0.0), trace, kTolerance<T>);
          if (!vectors) continue;
          const Matrix v = a.matrix(found, i);
          expect_near(whole * v, v * diagonal_of(own), kTolerance<T>);
          expect_near(adjoint(v) * v, identity(n), kTolerance<T>);
        }
      }
    }
  });
}

// What geev leaves in the columns of `found`: pairs of real ones are the parts of two vectors.
Matrix joined(const Matrix& found, const std::vector<Complex>& values, bool is_real) {
  Matrix result = found;
  for (std::int64_t j = 0; is_real && j < found.columns; ++j) {
    if (values[static_cast<std::size_t>(j)].imag() == 0) continue;
    for (std::int64_t i = 0; i < found.rows; ++i) {
      const double real = found.at(i, j).real(), imaginary = found.at(i, j + 1).real();
      result.at(i, j) = {real, imaginary};
      result.at(i, j + 1) = {real, -imaginary};
    }
    ++j;
  }
  return result;
}

TEST_P(FactorContract, EigenvaluesOfGeneralMatrices) {
  for_each_dtype([&](auto example) {
    using T = decltype(example);
    using Value = std::complex<Real<T>>;
    const std::int64_t n = 6;
    Stack<T> a(n, n);
    for (const bool vectors : {false, true}) {
      const FactorProblem problem{.kind = Factorisation::general,
                                  .dtype = dtype_of<T>,
                                  .rows = n,
                                  .columns = n,
                                  .count = kMatrices,
                                  .vectors = vectors,
                                  .a = upload(a.host),
                                  .b = vectors ? upload(a.host) : nullptr,
                                  .values = allocate(kMatrices * n * sizeof(Value)),
                                  .info = allocate(kMatrices * 4)};
      driver().factor(problem, stream());
      const auto values = read<Value>(problem.values, kMatrices * n);
      EXPECT_EQ(read<std::int32_t>(problem.info, kMatrices),
                std::vector<std::int32_t>(kMatrices, 0));
      const std::vector<T> columns = vectors ? read<T>(problem.b, a.host.size()) : a.host;
      for (std::int64_t i = 0; i < kMatrices; ++i) {
        const std::vector<Complex> own(values.begin() + i * n, values.begin() + (i + 1) * n);
        const Matrix given = a.matrix(i);
        Complex trace = 0;
        for (std::int64_t j = 0; j < n; ++j) trace += given.at(j, j);
        const Complex sum = std::accumulate(own.begin(), own.end(), Complex(0));
        EXPECT_NEAR(std::abs(sum - trace), 0, kTolerance<T>);
        if (!vectors) continue;
        const Matrix v = joined(a.matrix(columns, i), own, std::is_floating_point_v<T>);
        Matrix scaled = v;
        for (std::int64_t j = 0; j < n; ++j) {
          double norm = 0;
          for (std::int64_t k = 0; k < n; ++k) {
            norm += std::norm(v.at(k, j));
            scaled.at(k, j) *= own[static_cast<std::size_t>(j)];
          }
          EXPECT_NEAR(norm, 1, kTolerance<T>);
        }
        expect_near(given * v, scaled, kTolerance<T>);
      }
    }
  });
}

TEST_P(FactorContract, SingularValues) {
  for_each_dtype([&](auto example) {
    using T = decltype(example);
    const std::int64_t m = 7, n = 4;
    Stack<T> a(m, n);
    std::vector<Real<T>> alone;
    for (const std::int64_t lefts : {std::int64_t{0}, n, m}) {
      Stack<T> u(m, lefts);
      Stack<T> v(n, n);
      const FactorProblem problem{.kind = Factorisation::singular,
                                  .dtype = dtype_of<T>,
                                  .rows = m,
                                  .columns = n,
                                  .count = kMatrices,
                                  .extent = lefts,
                                  .vectors = lefts > 0,
                                  .a = upload(a.host),
                                  .b = lefts > 0 ? upload(u.host) : nullptr,
                                  .c = lefts > 0 ? upload(v.host) : nullptr,
                                  .values = allocate(kMatrices * n * sizeof(Real<T>)),
                                  .info = allocate(kMatrices * 4)};
      driver().factor(problem, stream());
      const auto values = read<Real<T>>(problem.values, kMatrices * n);
      EXPECT_EQ(read<std::int32_t>(problem.info, kMatrices),
                std::vector<std::int32_t>(kMatrices, 0));
      if (lefts == 0) {
        alone = values;
        continue;
      }
      const auto left = read<T>(problem.b, u.host.size());
      const auto right = read<T>(problem.c, v.host.size());
      for (std::int64_t i = 0; i < kMatrices; ++i) {
        const std::vector<double> own = values_of<T>(values, i, n);
        EXPECT_TRUE(std::is_sorted(own.rbegin(), own.rend()));
        for (std::size_t j = 0; j < own.size(); ++j) {
          EXPECT_NEAR(own[j], values_of<T>(alone, i, n)[j], kTolerance<T>);
        }
        const Matrix orthonormal = u.matrix(left, i);
        expect_near(adjoint(orthonormal) * orthonormal, identity(lefts), kTolerance<T>);
        Matrix scaled(lefts, n);
        for (std::int64_t row = 0; row < n; ++row) {
          for (std::int64_t j = 0; j < n; ++j) {
            scaled.at(row, j) = own[static_cast<std::size_t>(row)] * v.matrix(right, i).at(row, j);
          }
        }
        expect_near(orthonormal * scaled, a.matrix(i), kTolerance<T>);
      }
    }
  });
}

TEST_P(FactorContract, NothingToDoDoesNothing) {
  const FactorProblem problem{
      .kind = Factorisation::lu, .dtype = DType::float32, .rows = 3, .columns = 3, .count = 0};
  try {
    driver().factor(problem, stream());
  } catch (const LibraryError& error) {
    GTEST_SKIP() << error.what();
  }
  driver().synchronize(stream());
}

INSTANTIATE_TEST_SUITE_P(Platforms, FactorContract, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
