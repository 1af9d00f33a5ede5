#include "platforms/cpu/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/environment.h"
#include "cupola/error.h"

namespace cupola::cpu {
namespace {

std::optional<std::uint64_t> whole_variable(const char* name, std::uint64_t least,
                                            std::uint64_t limit) {
  const char* text = environment_value(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view view(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc() || end != view.data() + view.size() || value < least || value > limit) {
    throw ValueError(
        fmt::format("{}={} is not a whole number from {} to {}", name, view, least, limit));
  }
  return value;
}

std::size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::size_t{1} << 32;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.devices = static_cast<int>(whole_variable("CUPOLA_CPU_DEVICES", 1, 1024).value_or(1));
  settings.device_memory =
      whole_variable("CUPOLA_CPU_DEVICE_MEMORY", 1, INT64_MAX)
          .value_or(physical_memory() / static_cast<std::size_t>(settings.devices));
  settings.adversary = whole_variable("CUPOLA_ADVERSARY", 0, UINT64_MAX);
  if (const char* failures = environment_value("CUPOLA_ADVERSARY_FAIL")) {
    settings.failures = failures;
  }
  return settings;
}

bool allows_instructions(std::string_view set) {
  static constexpr std::array<std::string_view, 3> kSets{"baseline", "avx2", "avx512"};
  const char* text = environment_value("CUPOLA_CPU_INSTRUCTIONS");
  if (text == nullptr) return true;
  const auto limit = std::find(kSets.begin(), kSets.end(), text);
  if (limit == kSets.end()) {
    throw ValueError(
        fmt::format("CUPOLA_CPU_INSTRUCTIONS={} is not one of baseline, avx2, avx512", text));
  }
  return std::find(kSets.begin(), kSets.end(), set) <= limit;
}

}  // namespace cupola::cpu
