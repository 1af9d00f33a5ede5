#pragma once
// The name of a device: a platform and an index on it. A value; making one initialises nothing
// and does not check that the device exists (use does).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cupola {

enum class PlatformKind : std::uint8_t { cpu, cuda };
std::string_view name_of(PlatformKind platform);

class Device {
 public:
  Device(PlatformKind platform, int index) : platform_(platform), index_(index) {}
  // "cpu", "cpu:0", "cuda:1". Throws ValueError for anything else.
  static Device parse(std::string_view text);

  PlatformKind platform() const { return platform_; }
  int index() const { return index_; }
  std::string to_string() const;
  friend bool operator==(const Device&, const Device&) = default;

 private:
  PlatformKind platform_;
  int index_;
};

}  // namespace cupola

template <>
struct std::hash<cupola::Device> {
  std::size_t operator()(const cupola::Device& device) const noexcept {
    return static_cast<std::size_t>(device.platform()) * 4096 +
           static_cast<std::size_t>(device.index());
  }
};
