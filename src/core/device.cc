#include "cupola/device.h"

#include <charconv>

#include <fmt/format.h>

#include "cupola/error.h"

namespace cupola {

std::string_view name_of(PlatformKind platform) {
  return platform == PlatformKind::cpu ? "cpu" : "cuda";
}

Device Device::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view platform = text.substr(0, colon);
  int index = 0;
  bool valid = platform == "cpu" || platform == "cuda";
  if (valid && colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), index);
    valid = error == std::errc() && end == digits.end() && index >= 0 && !digits.empty();
  }
  if (!valid) {
    throw ValueError(fmt::format(
        "'{}' does not name a device; expected \"cpu\", \"cuda\", \"cpu:N\" or \"cuda:N\"", text));
  }
  return {platform == "cpu" ? PlatformKind::cpu : PlatformKind::cuda, index};
}

std::string Device::to_string() const { return fmt::format("{}:{}", name_of(platform_), index_); }

}  // namespace cupola
