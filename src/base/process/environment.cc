#include "base/process/environment.h"

#include <fmt/format.h>

#include "base/text/number_text.h"
#include "cupola/error.h"

namespace cupola {

std::optional<std::uint64_t> whole_number_setting(const char* name, std::uint64_t least,
                                                  std::uint64_t most) {
  const char* text = environment_value(name);
  if (text == nullptr) return std::nullopt;
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || *value < least || *value > most) {
    throw ValueError(
        fmt::format("{}={} is not a whole number from {} to {}", name, text, least, most));
  }
  return value;
}

}  // namespace cupola
