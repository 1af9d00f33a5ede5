#pragma once
// What contract tests run on: a device of a platform, and several of its devices as one.

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "driver/registry.h"

namespace cupola::contract {

// Read when the first driver is made: emulated devices of unequal memory, and pieces so small that
// what the tests do on sets crosses cuts. What the environment says already stays.
inline const bool kHasSmallPieces = [] {
  const std::pair<const char*, const char*> settings[] = {
      {"CUPOLA_CPU_DEVICES", "5"},       {"CUPOLA_CPU_DEVICE_MEMORY", "1G,1500M,3G,1G"},
      {"CUPOLA_CPU_STRIPE_BYTES", "16"}, {"CUPOLA_CPU_MAP_TILE", "64"},
      {"CUPOLA_STRIPE_THRESHOLD", "1"},  {"CUPOLA_MATMUL_BLOCK_ROWS", "2"},
      {"CUPOLA_FFT_BLOCK_ROWS", "2"}};
  for (const auto& [name, value] : settings) setenv(name, value, 0);
  return true;
}();

inline constexpr int kMaxMembers = 3;

struct Tested {
  PlatformKind platform;
  bool is_set = false;

  std::string to_string() const { return std::string(name_of(platform)) + (is_set ? "_set" : ""); }
};
inline void PrintTo(const Tested& tested, std::ostream* out) { *out << tested.to_string(); }

inline constexpr Tested kSets[] = {{PlatformKind::cpu, true}, {PlatformKind::cuda, true}};
inline constexpr Tested kDevicesAndSets[] = {{PlatformKind::cpu},
                                             {PlatformKind::cuda},
                                             {PlatformKind::cpu, true},
                                             {PlatformKind::cuda, true}};
inline const auto kName = [](const auto& test) { return test.param.to_string(); };

// The first device, or the set of the first ones. Nothing where there is none; `reason` says why.
inline std::optional<Device> find_device(const Tested& tested, std::string& reason) {
  reason = "it has no devices";
  Driver* const platform = find_driver(tested.platform, &reason);
  const int count = platform ? platform->device_count() : 0;
  if (count == 0) return std::nullopt;
  if (!tested.is_set) return Device(tested.platform, 0);
  reason = "there is one device only";
  if (count == 1) return std::nullopt;
  std::vector<Device> members;
  for (int i = 0; i < std::min(count, kMaxMembers); ++i) members.emplace_back(tested.platform, i);
  return Device::of_members(members);
}

}  // namespace cupola::contract
