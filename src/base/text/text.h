#pragma once
// Lists and sources in messages.

#include <algorithm>
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

// "    1 | first line\n    2 | ...".
inline std::string numbered(std::string_view text) {
  std::string result;
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string number = std::to_string(line);
    result += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + " | ";
    (result += text.substr(begin, end - begin)) += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace cupola
