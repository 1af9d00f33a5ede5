// Fourier transforms, against their definition, on every platform that is usable here and on sets
// of its devices.

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;

using LongComplex = std::complex<long double>;

// The complex values of a row, of `n`.
template <typename T>
std::vector<LongComplex> values_of(FftKind kind, const T* row, std::int64_t n) {
  std::vector<LongComplex> values;
  for (std::int64_t j = 0; j < n; ++j) {
    if (kind == FftKind::real_to_complex) {
      values.emplace_back(row[j]);
      continue;
    }
    const bool is_mirrored = kind == FftKind::complex_to_real && j > n / 2;
    const std::int64_t at = is_mirrored ? n - j : j;
    LongComplex value(row[2 * at], row[2 * at + 1]);
    if (kind == FftKind::complex_to_real && (j == 0 || 2 * j == n)) value = value.real();
    values.push_back(is_mirrored ? std::conj(value) : value);
  }
  return values;
}

std::vector<LongComplex> roots_of_unity(std::int64_t n, bool backward) {
  std::vector<LongComplex> roots;
  for (std::int64_t k = 0; k < n; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(n);
    roots.push_back(std::polar(1.0L, backward ? angle : -angle));
  }
  return roots;
}

LongComplex result_of(const std::vector<LongComplex>& values, const std::vector<LongComplex>& roots,
                      std::int64_t k) {
  LongComplex sum = 0;
  std::size_t at = 0;
  for (const LongComplex& value : values) {
    sum += value * roots[at];
    at = (at + static_cast<std::size_t>(k)) % roots.size();
  }
  return sum;
}

class FftContract : public DriverContract {
 protected:
  // `gap`: elements between rows, which stay as they are.
  template <typename T>
  void check(FftKind kind, std::int64_t length, std::int64_t rows, std::int64_t gap) {
    SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << ", length " << length
                                      << ", rows " << rows << ", " << sizeof(T) << " bytes");
    FftProblem problem{.kind = kind, .is_double = sizeof(T) == 8, .length = length, .rows = rows};
    problem.in_row = problem.in_length() + gap;
    problem.out_row = problem.out_length() + gap;
    std::mt19937 random(static_cast<unsigned>(length));
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> in(problem.in_bytes() / sizeof(T));
    for (T& value : in) value = uniform(random);
    const std::vector<T> marks(problem.out_bytes() / sizeof(T), T(7));
    problem.in = upload(in);
    problem.out = upload(marks);
    driver().fft(problem, stream());
    const std::vector<T> out = read<T>(problem.out, marks.size());
    EXPECT_EQ(read<T>(problem.in, in.size()), in);
    const std::int64_t in_parts = kind == FftKind::real_to_complex ? 1 : 2;
    const std::int64_t out_parts = kind == FftKind::complex_to_real ? 1 : 2;
    const bool backward = kind == FftKind::backward || kind == FftKind::complex_to_real;
    const std::vector<LongComplex> roots = roots_of_unity(length, backward);
    const double tolerance =
        10 * std::sqrt(static_cast<double>(length)) * std::numeric_limits<T>::epsilon();
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::vector<LongComplex> values =
          values_of(kind, in.data() + row * problem.in_row * in_parts, length);
      const T* const results = out.data() + row * problem.out_row * out_parts;
      for (std::int64_t k = 0; k < problem.out_length(); ++k) {
        const LongComplex expected = result_of(values, roots, k);
        const auto real = static_cast<double>(expected.real());
        ASSERT_NEAR(results[out_parts * k], real, tolerance) << row << ", " << k;
        if (out_parts == 1) continue;
        const auto imaginary = static_cast<double>(expected.imag());
        ASSERT_NEAR(results[2 * k + 1], imaginary, tolerance) << row << ", " << k;
      }
      for (std::int64_t k = problem.out_length(); row + 1 < rows && k < problem.out_row; ++k) {
        ASSERT_EQ(results[out_parts * k], T(7)) << "behind row " << row;
      }
    }
  }

  // Whether the driver takes these columns.
  template <typename T>
  bool check_columns(FftKind kind, std::int64_t length, std::int64_t matrices,
                     std::int64_t columns) {
    FftProblem problem{.kind = kind,
                       .is_double = sizeof(T) == 8,
                       .length = length,
                       .rows = matrices,
                       .columns = columns,
                       .pitch = columns};
    problem.in_row = problem.in_length() * columns;
    problem.out_row = problem.out_length() * columns;
    if (!driver().can_transform_columns(problem)) return false;
    SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << ", length " << length
                                      << ", " << matrices << " of " << columns << " columns");
    const std::int64_t in_parts = kind == FftKind::real_to_complex ? 1 : 2;
    const std::int64_t out_parts = kind == FftKind::complex_to_real ? 1 : 2;
    std::mt19937 random(static_cast<unsigned>(length));
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> in(problem.in_bytes() / sizeof(T));
    for (T& value : in) value = uniform(random);
    problem.in = upload(in);
    problem.out = upload(std::vector<T>(problem.out_bytes() / sizeof(T), T(7)));
    driver().fft(problem, stream());
    EXPECT_EQ(read<T>(problem.in, in.size()), in);
    FftProblem rows = problem;
    rows.rows = matrices * columns;
    rows.in_row = rows.in_length();
    rows.out_row = rows.out_length();
    rows.columns = rows.pitch = 1;
    rows.in = upload(transposed(in, rows.in_length(), columns, in_parts));
    rows.out = upload(std::vector<T>(rows.out_bytes() / sizeof(T), T(7)));
    driver().fft(rows, stream());
    const std::size_t numbers = problem.out_bytes() / sizeof(T);
    const std::vector<T> wanted = read<T>(rows.out, numbers);
    const std::vector<T> found =
        transposed(read<T>(problem.out, numbers), rows.out_length(), columns, out_parts);
    const double tolerance =
        10 * std::sqrt(static_cast<double>(length)) * std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < numbers; ++i) EXPECT_NEAR(found[i], wanted[i], tolerance) << i;
    return true;
  }

  // Of matrices of so many columns, `parts` numbers for each value.
  template <typename T>
  static std::vector<T> transposed(const std::vector<T>& values, std::int64_t length,
                                   std::int64_t columns, std::int64_t parts) {
    std::vector<T> result;
    const auto matrix = static_cast<std::size_t>(length * columns * parts);
    for (auto first = values.begin(); first != values.end();
         first += static_cast<std::ptrdiff_t>(matrix)) {
      for (std::int64_t column = 0; column < columns; ++column) {
        for (std::int64_t k = 0; k < length; ++k) {
          const auto from = first + (k * columns + column) * parts;
          result.insert(result.end(), from, from + parts);
        }
      }
    }
    return result;
  }

  void check_all(std::int64_t length, std::int64_t rows, std::int64_t gap) {
    for (const FftKind kind : {FftKind::forward, FftKind::backward, FftKind::real_to_complex,
                               FftKind::complex_to_real}) {
      check<float>(kind, length, rows, gap);
      check<double>(kind, length, rows, gap);
    }
  }
};

TEST_P(FftContract, EveryKindAndLength) {
  try {
    for (const std::int64_t length : {1, 2, 3, 5, 8, 13, 30, 34, 64, 97, 360, 600}) {
      check_all(length, 1, 0);
      check_all(length, 5, 0);
    }
  } catch (const LibraryError& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST_P(FftContract, RowsThatLieApart) {
  try {
    for (const std::int64_t length : {8, 9, 23, 300}) check_all(length, 19, 3);
  } catch (const LibraryError& error) {
    GTEST_SKIP() << error.what();
  }
}

// Beside their transposes, transformed as rows.
TEST_P(FftContract, ColumnsWhereTheyAreTaken) {
  int taken = 0;
  try {
    for (const FftKind kind : {FftKind::forward, FftKind::backward, FftKind::real_to_complex,
                               FftKind::complex_to_real}) {
      for (const std::int64_t length : {2, 9, 64, 300}) {
        for (const std::int64_t matrices : {1, 3}) {
          taken += check_columns<float>(kind, length, matrices, 21);
          taken += check_columns<double>(kind, length, matrices, 16);
        }
      }
    }
  } catch (const LibraryError& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_GE(taken, 16);
}

TEST_P(FftContract, NoRows) {
  try {
    driver().fft({.length = 4, .in_row = 4, .out_row = 4}, stream());
  } catch (const LibraryError& error) {
    GTEST_SKIP() << error.what();
  }
  driver().synchronize(stream());
}

INSTANTIATE_TEST_SUITE_P(Platforms, FftContract, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
