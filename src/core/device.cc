#include "cupola/device.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text/number_text.h"
#include "core/device_sets.h"
#include "cupola/error.h"

namespace cupola {

namespace {

// What members() of a device that is no set points to.
constexpr auto kOwnIndices = [] {
  std::array<int, Device::kFirstSet> indices{};
  for (int i = 0; i < Device::kFirstSet; ++i) indices[static_cast<std::size_t>(i)] = i;
  return indices;
}();

[[noreturn]] void refuse_text(std::string_view text, std::string_view why = "") {
  throw ValueError(fmt::format(
      "'{}' does not name a device{}; expected \"cpu\", \"cuda\", \"cpu:N\" or \"cuda:N\", and for "
      "several devices as one \"cuda:0-3\" or \"cuda:0,2\"",
      text, why.empty() ? "" : fmt::format(": {}", why)));
}

void check_number(PlatformKind platform, std::int64_t number) {
  if (number >= 0 && number < Device::kFirstSet) return;
  throw DeviceError(
      fmt::format("there is no device {}:{}: numbers of devices are 0 or more and below {}",
                  name_of(platform), number, Device::kFirstSet));
}

// "3" or "0-3".
void parse_run(std::string_view run, std::string_view text, PlatformKind platform,
               std::vector<Device>& members) {
  const std::size_t dash = run.find('-');
  const auto first = parse_number<unsigned>(run.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : parse_number<unsigned>(run.substr(dash + 1));
  if (!first || !last) refuse_text(text);
  if (*last < *first) refuse_text(text, fmt::format("{} runs backwards", run));
  check_number(platform, *last);
  for (unsigned index = *first; index <= *last; ++index) {
    members.emplace_back(platform, static_cast<int>(index));
  }
}

std::string text_of(std::span<const int> members) {
  std::string text;
  for (std::size_t first = 0; first < members.size();) {
    std::size_t last = first;
    while (last + 1 < members.size() && members[last + 1] == members[last] + 1) ++last;
    text += fmt::format("{}{}", first == 0 ? "" : ",", members[first]);
    if (last > first) text += fmt::format("-{}", members[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace

std::string_view name_of(PlatformKind platform) {
  return platform == PlatformKind::cpu ? "cpu" : "cuda";
}

Device Device::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (name != "cpu" && name != "cuda") refuse_text(text);
  const PlatformKind platform = name == "cpu" ? PlatformKind::cpu : PlatformKind::cuda;
  if (colon == std::string_view::npos) return {platform, 0};
  std::vector<Device> members;
  for (std::string_view rest = text.substr(colon + 1);;) {
    const std::size_t comma = rest.find(',');
    parse_run(rest.substr(0, comma), text, platform, members);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return of_members(members);
}

Device Device::of_members(std::span<const Device> members) {
  if (members.empty()) throw ValueError("a device set needs at least one device");
  std::vector<int> indices;
  for (const Device& member : members) {
    if (member.platform() != members.front().platform()) {
      throw ValueError(fmt::format("the devices of a set are of one platform, not {} and {}",
                                   members.front().to_string(), member.to_string()));
    }
    if (member.is_set()) {
      throw ValueError(
          fmt::format("a device set is made of devices, not of the set {}", member.to_string()));
    }
    if (std::find(indices.begin(), indices.end(), member.index()) != indices.end()) {
      throw ValueError(
          fmt::format("{} is named twice: a set has each device once", member.to_string()));
    }
    indices.push_back(member.index());
  }
  if (indices.size() == 1) return members.front();
  const PlatformKind platform = members.front().platform();
  return {platform, index_of_set(platform, std::move(indices))};
}

std::span<const int> Device::members() const {
  if (!is_set()) {
    check_number(platform_, index_);
    return std::span(kOwnIndices).subspan(static_cast<std::size_t>(index_), 1);
  }
  const std::vector<int>* found = find_members(platform_, index_);
  if (found == nullptr) check_number(platform_, index_);
  return *found;
}

bool Device::contains(const Device& other) const {
  if (*this == other) return true;
  if (!is_set() || platform_ != other.platform_) return false;
  const std::span<const int> own = members();
  return std::ranges::all_of(other.members(), [&](int index) {
    return std::find(own.begin(), own.end(), index) != own.end();
  });
}

std::string Device::to_string() const {
  const std::vector<int>* found = find_members(platform_, index_);
  return fmt::format("{}:{}", name_of(platform_), found ? text_of(*found) : std::to_string(index_));
}

}  // namespace cupola
