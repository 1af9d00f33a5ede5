#include "platforms/cpu/ordering/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cupola/dtype.h"

namespace cupola::cpu {
namespace {

template <typename T>
constexpr bool kIsComplex = !std::is_arithmetic_v<T>;

template <typename T>
bool comes_before(T a, T b) {
  if constexpr (kIsComplex<T>) {
    const auto kind = [](T z) { return 2 * std::isnan(z.real()) + std::isnan(z.imag()); };
    if (kind(a) != kind(b)) return kind(a) < kind(b);
    if (a.real() < b.real() || b.real() < a.real()) return a.real() < b.real();
    return a.imag() < b.imag();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return a < b;
  } else {
    return a < b;
  }
}

template <typename T>
using Rows = std::vector<std::vector<T>>;

template <typename T>
Rows<T> sorted(Rows<T> rows) {
  for (std::vector<T>& row : rows) std::stable_sort(row.begin(), row.end(), comes_before<T>);
  return rows;
}

// The elements at the ranks of each sorted row, in the order of SelectProblem::out.
template <typename T>
std::vector<T> elements_at(const Rows<T>& rows, const std::vector<std::int64_t>& ranks,
                           bool of_all) {
  std::vector<T> result;
  const std::size_t count = of_all ? ranks.size() : ranks.size() / rows.size();
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::int64_t rank = of_all ? ranks[k] : ranks[k * rows.size() + r];
      result.push_back(rows[r][static_cast<std::size_t>(rank)]);
    }
  }
  return result;
}

template <typename T>
auto shown(T value) {
  if constexpr (kIsComplex<T>) {
    return std::to_string(value.real()) + " " + std::to_string(value.imag());
  } else {
    return +value;
  }
}

template <typename T>
void expect_same_bits(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  if (std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) == 0) return;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(std::memcmp(&found[i], &expected[i], sizeof(T)), 0)
        << i << ": " << shown(found[i]) << " is not " << shown(expected[i]);
  }
}

// What is named by a rank has its place, with smaller elements before it and others behind.
template <typename Element>
void expect_parted_complex(const std::vector<Element>& values, const Rows<Element>& in_order,
                           const std::vector<std::int64_t>& ranks) {
  const std::int64_t length = std::ssize(values);
  std::vector<Element> parted(values.size()), found(ranks.size());
  run_select({.dtype = dtype_of<Element>,
              .in = values.data(),
              .extents = {1, length},
              .strides = {length, 1},
              .ranks = ranks.data(),
              .rank_count = std::ssize(ranks),
              .out = found.data(),
              .parted = parted.data()});
  expect_same_bits(found, elements_at(in_order, ranks, true));
  for (const std::int64_t rank : ranks) {
    const auto at = parted.begin() + rank;
    EXPECT_TRUE(std::none_of(parted.begin(), at, [&](Element e) { return comes_before(*at, e); }));
    EXPECT_TRUE(std::none_of(at, parted.end(), [&](Element e) { return comes_before(e, *at); }));
  }
  expect_same_bits(sorted(Rows<Element>{parted}).front(), in_order.front());
}

// Around the elements of a rank: smaller ones, equal ones, others, each in the row's order.
template <typename T>
std::vector<T> parted_around(const std::vector<T>& pivots, const Rows<T>& rows) {
  std::vector<T> result, equal, above;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    equal.clear();
    above.clear();
    for (const T value : rows[r]) {
      const bool is_below = comes_before(value, pivots[r]);
      (is_below ? result : comes_before(pivots[r], value) ? above : equal).push_back(value);
    }
    result.insert(result.end(), equal.begin(), equal.end());
    result.insert(result.end(), above.begin(), above.end());
  }
  return result;
}

template <typename T>
void expect_parted(const std::vector<T>& values, const std::vector<T>& columns, const Rows<T>& rows,
                   const Rows<T>& in_order) {
  const std::int64_t length = std::ssize(rows.front()), count = std::ssize(rows);
  for (const std::int64_t rank : {length / 2, std::int64_t{0}, length - 1}) {
    if (length > 5000 && rank != length / 2) continue;
    const std::vector<T> pivots = elements_at(in_order, {rank}, true);
    const std::vector<T> expected = parted_around(pivots, rows);
    for (const bool by_columns : {false, true}) {
      std::vector<T> found(static_cast<std::size_t>(count)), parted(values.size());
      run_select({.dtype = dtype_of<T>,
                  .in = by_columns ? columns.data() : values.data(),
                  .extents = {count, length},
                  .strides = by_columns ? Dims{1, count} : Dims{length, 1},
                  .ranks = &rank,
                  .rank_count = 1,
                  .out = found.data(),
                  .parted = parted.data()});
      expect_same_bits(found, pivots);
      expect_same_bits(parted, expected);
    }
  }
}

// Rows that lie one behind the other, and the same as columns.
template <typename T>
void expect_selected(const std::vector<T>& values, std::int64_t rows) {
  const std::int64_t length = std::ssize(values) / rows;
  Rows<T> of_rows(static_cast<std::size_t>(rows));
  std::vector<T> columns(values.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < length; ++i) {
      const T value = values[static_cast<std::size_t>(r * length + i)];
      of_rows[static_cast<std::size_t>(r)].push_back(value);
      columns[static_cast<std::size_t>(i * rows + r)] = value;
    }
  }
  const Rows<T> in_order = sorted(of_rows);
  const std::vector<std::int64_t> of_all{length / 2, 0, length - 1, (length - 1) / 2, length / 3};
  std::vector<std::int64_t> of_each;
  for (std::int64_t i = 0; i < 2 * rows; ++i) of_each.push_back(i * 7919 % length);
  for (const bool by_columns : {false, true}) {
    for (const bool each : {false, true}) {
      const std::vector<std::int64_t>& ranks = each ? of_each : of_all;
      const std::size_t count = each ? 2 : of_all.size();
      std::vector<T> found(count * static_cast<std::size_t>(rows));
      run_select({.dtype = dtype_of<T>,
                  .in = by_columns ? columns.data() : values.data(),
                  .extents = {rows, length},
                  .strides = by_columns ? Dims{1, rows} : Dims{length, 1},
                  .ranks = ranks.data(),
                  .rank_count = static_cast<std::int64_t>(count),
                  .ranks_of_all = !each,
                  .out = found.data()});
      expect_same_bits(found, elements_at(in_order, ranks, !each));
    }
  }
  if constexpr (!kIsComplex<T>) expect_parted(values, columns, of_rows, in_order);
}

template <typename T>
std::vector<T> values_of(std::size_t count, const std::function<double(std::size_t)>& value) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(value(i));
  return values;
}

constexpr std::int64_t kLengths[] = {1, 2, 16, 17, 64, 127, 129, 1000, 1025, 5000, 300'001};

template <typename T>
void expect_all() {
  std::mt19937_64 random(7);
  for (const std::int64_t length : kLengths) {
    for (const std::int64_t rows : {1, 3, 37}) {
      if (rows > 1 && length * rows > 50'000) continue;
      const auto count = static_cast<std::size_t>(length * rows);
      const auto any = [&](std::size_t) { return static_cast<double>(random() % 251) - 100.0; };
      const auto place = [](std::size_t i) { return static_cast<double>(i % 120); };
      SCOPED_TRACE(length);
      expect_selected<T>(
          values_of<T>(
              count,
              [&](std::size_t i) { return std::is_unsigned_v<T> ? std::abs(any(i)) : any(i) / 2; }),
          rows);
      expect_selected<T>(values_of<T>(count, place), rows);
      expect_selected<T>(std::vector<T>(count, T(3)), rows);
    }
  }
}

TEST(Selection, OfIntegers) {
  expect_all<std::int8_t>();
  expect_all<std::uint16_t>();
  expect_all<std::int32_t>();
  expect_all<std::uint64_t>();
}
TEST(Selection, OfFloats) {
  expect_all<float>();
  expect_all<double>();
}

// Zeros of both signs, and NaNs, are those that a stable sort has there.
TEST(Selection, TellsEqualElementsApart) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double other = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | 5);
  const double choices[] = {0.0, -0.0, nan, -nan, other, 1.0, -1.0, HUGE_VAL, -HUGE_VAL};
  std::mt19937_64 random(3);
  for (const std::int64_t length : kLengths) {
    for (const std::int64_t rows : {1, 20}) {
      if (rows > 1 && length * rows > 50'000) continue;
      std::vector<double> values(static_cast<std::size_t>(length * rows));
      for (double& value : values) value = choices[random() % std::size(choices)];
      SCOPED_TRACE(length);
      expect_selected(values, rows);
    }
  }
}

template <typename Part>
void expect_of_complex() {
  using Element = std::complex<Part>;
  constexpr Part kNan = std::numeric_limits<Part>::quiet_NaN();
  const Part few[] = {0, Part(-0.0), 1, -1, Part(HUGE_VAL), Part(-HUGE_VAL), kNan};
  std::mt19937_64 random(5);
  const auto part = [&](std::size_t choices) {
    if (choices > std::size(few)) return static_cast<Part>(random() % choices) - Part(1000);
    return few[random() % choices];
  };
  for (const std::int64_t length : kLengths) {
    for (const std::int64_t rows : {1, 20}) {
      if (rows > 1 && length * rows > 50'000) continue;
      for (const auto& [real, imag] :
           {std::pair<std::size_t, std::size_t>{100'000'007, 100'000'007},
            {2, 100'000'007},
            {4, 4},
            {7, 7},
            {1, 1'000}}) {
        if (length > 10'000 && real + imag > 10) continue;
        std::vector<Element> values(static_cast<std::size_t>(length * rows));
        for (Element& value : values) {
          value = {part(real), part(imag)};
        }
        SCOPED_TRACE(std::to_string(length) + " " + std::to_string(real));
        expect_selected(values, rows);
        if (rows > 1) continue;
        const Rows<Element> in_order = sorted(Rows<Element>{values});
        for (const std::int64_t rank : {length / 2, std::int64_t{0}, length - 1}) {
          expect_parted_complex(values, in_order, {rank});
        }
        if (length >= 5) {
          expect_parted_complex(values, in_order, {length - 1, 0, length / 2, length / 3});
        }
      }
    }
  }
}

TEST(Selection, OfComplexNumbers) {
  expect_of_complex<float>();
  expect_of_complex<double>();
}

// Some elements are looked at first: here they all lie elsewhere.
TEST(Selection, ElementsThatMislead) {
  constexpr std::int64_t kCount = 300'000;
  std::vector<double> values = values_of<double>(
      kCount, [](std::size_t i) { return static_cast<double>(i * 2654435761U % 1000003); });
  const auto chosen = static_cast<std::int64_t>(std::pow(static_cast<double>(kCount), 2.0 / 3));
  const std::int64_t stretch = kCount / chosen;
  for (std::int64_t i = 0; i < chosen; ++i) {
    const auto hash = static_cast<std::uint32_t>(i * 0x9E3779B1);
    const auto within = hash * static_cast<std::uint64_t>(stretch) >> 32;
    values[static_cast<std::size_t>(i * stretch) + within] = -static_cast<double>(i);
  }
  expect_selected(values, 1);
}

}  // namespace
}  // namespace cupola::cpu
