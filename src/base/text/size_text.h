#pragma once
// Sizes as settings write them.

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace cupola {

// A whole number of bytes, or with K, M or G behind it times 1024, its square or its cube. Nothing
// for what is no size.
inline std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || last - end > 1) return std::nullopt;
  const std::size_t unit = end == last ? 0 : std::string_view("KMG").find(*end) + 1;
  if (end != last && unit == 0) return std::nullopt;
  if (number > std::numeric_limits<std::uint64_t>::max() >> (10 * unit)) return std::nullopt;
  return number << (10 * unit);
}

}  // namespace cupola
