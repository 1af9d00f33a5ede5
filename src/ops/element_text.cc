#include "ops/element_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <span>

namespace cupola {

namespace {

constexpr int kPrecision = 8;  // digits behind the point
// Beyond these, and where values differ by more than the ratio, numbers have exponents.
constexpr double kLargest = 1e8, kSmallest = 1e-4, kLargestRatio = 1000;

double to_double(float value) { return value; }
double to_double(double value) { return value; }
double to_double(Float16 value) { return static_cast<float>(value); }
double to_double(BFloat16 value) { return static_cast<float>(value); }

template <typename T>
std::string shortest(T value, std::chars_format format) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, format).ptr;
  return {text, end};
}

// The fewest digits that a 16-bit float is read back from.
template <typename Half>
requires(std::is_same_v<Half, Float16> || std::is_same_v<Half, BFloat16>) std::string
    shortest(Half value, std::chars_format format) {
  constexpr int kEnough = 5;
  double rounded = 0;
  for (int digits = 1; digits <= kEnough; ++digits) {
    rounded = std::strtod(fmt::format("{:.{}g}", to_double(value), digits).c_str(), nullptr);
    if (Half(static_cast<float>(rounded)).bits == value.bits) break;
  }
  return shortest(rounded, format);
}

// Digits with a point in their midst, and what of them follows that, apart from an exponent.
struct Digits {
  std::string whole;     // with the point
  std::string fraction;  // without zeros at its end
  std::string exponent;
};

Digits parts_of(std::string text, double value, bool with_exponent) {
  const auto split = [](const std::string& digits) {
    const std::size_t e = std::min(digits.find('e'), digits.size());
    const std::size_t point = std::min(digits.find('.'), e);
    Digits parts{digits.substr(0, point) + ".", "", digits.substr(e)};
    if (point < e) parts.fraction = digits.substr(point + 1, e - point - 1);
    return parts;
  };
  Digits parts = split(text);
  if (parts.fraction.size() > kPrecision) {
    parts = split(with_exponent ? fmt::format("{:.{}e}", value, kPrecision)
                                : fmt::format("{:.{}f}", value, kPrecision));
  }
  parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
  return parts;
}

bool needs_exponent(std::span<const double> values) {
  double largest = 0, smallest = 0;
  for (const double value : values) {
    const double magnitude = std::abs(value);
    if (!std::isfinite(magnitude) || magnitude == 0) continue;
    largest = std::max(largest, magnitude);
    smallest = smallest == 0 ? magnitude : std::min(smallest, magnitude);
  }
  if (smallest == 0) return false;
  return largest >= kLargest || smallest < kSmallest || largest / smallest > kLargestRatio;
}

template <typename T>
std::vector<std::string> real_texts(std::span<const T> values, bool with_sign = false) {
  std::vector<double> numbers;
  for (const T value : values) numbers.push_back(to_double(value));
  const bool with_exponent = needs_exponent(numbers);
  const auto format = with_exponent ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<Digits> all(values.size());
  std::size_t whole = 0, fraction = 0, exponent = 0, other = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(numbers[i])) {
      all[i] = parts_of(shortest(values[i], format), numbers[i], with_exponent);
    } else {
      all[i].whole = std::isnan(numbers[i]) ? "nan" : numbers[i] < 0 ? "-inf" : "inf";
    }
    if (with_sign && all[i].whole.front() != '-') all[i].whole.insert(0, 1, '+');
    if (std::isfinite(numbers[i])) {
      whole = std::max(whole, all[i].whole.size());
    } else {
      other = std::max(other, all[i].whole.size());
    }
    fraction = std::max(fraction, all[i].fraction.size());
    exponent = std::max(exponent, all[i].exponent.size());
  }
  const std::size_t width = std::max(whole + fraction + exponent, other);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string text = all[i].whole;
    if (std::isfinite(numbers[i])) {
      text += all[i].fraction;
      text.append(fraction - all[i].fraction.size(), with_exponent ? '0' : ' ');
      text += all[i].exponent;
    }
    texts.push_back(fmt::format("{:>{}}", text, width));
  }
  return texts;
}

template <typename T>
std::vector<std::string> complex_texts(std::span<const std::complex<T>> values) {
  std::vector<T> real, imaginary;
  for (const std::complex<T> value : values) {
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  }
  std::vector<std::string> texts = real_texts(std::span<const T>(real));
  const std::vector<std::string> others = real_texts(std::span<const T>(imaginary), true);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string other = others[i];
    other.insert(other.find_last_not_of(' ') + 1, 1, 'j');
    texts[i] += other;
  }
  return texts;
}

template <typename T>
std::vector<std::string> texts_of(std::span<const T> values) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return complex_texts(values);
  } else if constexpr (std::is_integral_v<T>) {
    std::vector<std::string> texts;
    std::size_t width = 0;
    for (const T value : values) {
      if constexpr (std::is_same_v<T, bool>) {
        texts.emplace_back(value ? "True" : "False");
        if (values.size() > 1) width = 5;
      } else {
        texts.push_back(fmt::format("{}", value));
      }
      width = std::max(width, texts.back().size());
    }
    for (std::string& text : texts) text = fmt::format("{:>{}}", text, width);
    return texts;
  } else {
    return real_texts(values);
  }
}

}  // namespace

std::vector<std::string> element_texts(DType dtype, const void* data, std::size_t count) {
  return dispatch_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return texts_of(std::span<const T>(static_cast<const T*>(data), count));
  });
}

}  // namespace cupola
