#pragma once
// Lists in messages.

#include <string>
#include <string_view>
#include <type_traits>

namespace cupola {

// The elements, numbers or texts, with `separator` between them.
template <typename Range>
std::string joined(const Range& range, std::string_view separator) {
  std::string text;
  for (const auto& each : range) {
    if (!text.empty()) text += separator;
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(each)>>) {
      text += std::to_string(each);
    } else {
      text += each;
    }
  }
  return text;
}

}  // namespace cupola
