#include "platforms/cpu/device/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process/environment.h"
#include "base/text/number_text.h"
#include "base/text/size_text.h"
#include "base/threads/lazy.h"
#include "cupola/device.h"
#include "cupola/error.h"

namespace cupola::cpu {
namespace {

// Calls `each` with every entry of a list that commas separate.
template <typename Function>
void for_entries(std::string_view list, const Function& each) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    each(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::optional<Budgets> read_budgets() {
  const char* text = environment_value("CUPOLA_CPU_DEVICE_MEMORY");
  if (text == nullptr) return std::nullopt;
  std::vector<std::size_t> bytes;
  for_entries(text, [&](std::string_view entry) {
    const std::optional<std::uint64_t> size = parse_size(entry);
    if (!size || *size == 0 || *size > INT64_MAX) {
      throw ValueError(
          fmt::format("CUPOLA_CPU_DEVICE_MEMORY={} is neither a number of bytes (like 64M) nor a "
                      "list of them (like 64M,32M), one for each device",
                      text));
    }
    bytes.push_back(*size);
  });
  return Budgets(std::move(bytes));
}

std::size_t read_stripe_bytes() {
  static constexpr std::uint64_t kLeast = 16;
  static constexpr std::uint64_t kLimit = std::uint64_t{1} << 40;
  const std::uint64_t bytes =
      whole_number_setting("CUPOLA_CPU_STRIPE_BYTES", kLeast, kLimit).value_or(4096);
  if (!std::has_single_bit(bytes)) {
    throw ValueError(fmt::format("CUPOLA_CPU_STRIPE_BYTES={} is not a power of two", bytes));
  }
  return bytes;
}

// "0-1:none". Nothing for what is no pair.
std::optional<BadPair> parse_pair(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::size_t colon = text.find(':');
  if (dash == text.npos || colon == text.npos || colon < dash) return std::nullopt;
  const auto first = parse_number<int>(text.substr(0, dash));
  const auto second = parse_number<int>(text.substr(dash + 1, colon - dash - 1));
  const std::string_view how = text.substr(colon + 1);
  if (!first || !second || *first < 0 || *second < 0 || *first == *second) return std::nullopt;
  if (how != "none" && how != "lies") return std::nullopt;
  return BadPair{*first, *second, how == "lies"};
}

std::vector<BadPair> read_bad_pairs() {
  const char* text = environment_value("CUPOLA_CPU_PEERS");
  std::vector<BadPair> pairs;
  if (text == nullptr) return pairs;
  for_entries(text, [&](std::string_view entry) {
    const std::optional<BadPair> pair = parse_pair(entry);
    if (!pair) {
      throw ValueError(
          fmt::format("CUPOLA_CPU_PEERS={} is not a list of pairs of devices like "
                      "0-1:none,1-2:lies",
                      text));
    }
    pairs.push_back(*pair);
  });
  return pairs;
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
  settings.devices = static_cast<int>(
      whole_number_setting("CUPOLA_CPU_DEVICES", 1, Device::kFirstSet).value_or(1));
  settings.device_memory = read_budgets().value_or(
      Budgets(physical_memory() / static_cast<std::size_t>(settings.devices)));
  settings.adversary = whole_number_setting("CUPOLA_ADVERSARY", 0, UINT64_MAX);
  if (const char* failures = environment_value("CUPOLA_ADVERSARY_FAIL")) {
    settings.failures = failures;
  }
  settings.stripe_bytes = read_stripe_bytes();
  settings.bad_pairs = read_bad_pairs();
  return settings;
}

std::int64_t most_of_map_tile() {
  static constinit Lazy<const std::int64_t> most;
  return most.get([] {
    return static_cast<std::int64_t>(
        whole_number_setting("CUPOLA_CPU_MAP_TILE", 64, INT64_MAX).value_or(INT64_MAX));
  });
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
