#pragma once
// Settings in the environment. One that is empty is not set.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace cupola {

// Null: not set.
inline const char* environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// Anything but 0.
inline bool is_switched_on(const char* name) {
  const char* value = environment_value(name);
  return value != nullptr && std::string_view(value) != "0";
}

// Nothing: not set. Throws ValueError for anything but a whole number from `least` to `most`.
std::optional<std::uint64_t> whole_number_setting(const char* name, std::uint64_t least,
                                                  std::uint64_t most);

}  // namespace cupola
