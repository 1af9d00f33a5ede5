#pragma once
// Numbers as settings write them.

#include <charconv>
#include <optional>
#include <string_view>

namespace cupola {

// Nothing for what is not one number and nothing beside it; unsigned ones have no sign.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace cupola
