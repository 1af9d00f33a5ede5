#pragma once
// The name of a device: a platform and an index on it. A value; making one initialises nothing
// and does not check that the device exists (use does).
//
// Several devices of one platform together are a device too, a set: its index is a number that the
// process gave to its members, from kFirstSet on, in the order in which they were named.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace cupola {

enum class PlatformKind : std::uint8_t { cpu, cuda };
std::string_view name_of(PlatformKind platform);

class Device {
 public:
  // Indices from here on stand for sets; those of devices are smaller.
  static constexpr int kFirstSet = 512;
  // Indices are smaller.
  static constexpr int kEndOfIndices = 4096;

  Device(PlatformKind platform, int index) : platform_(platform), index_(index) {}
  // "cpu", "cpu:0", "cuda:1"; sets: "cuda:0-3", "cuda:0,2", "cuda:0-1,3". Throws ValueError for
  // anything else, also for a repeated member, and DeviceError for numbers that no device has.
  static Device parse(std::string_view text);
  // The set of these devices, in this order; one is that device. Equal members, equal sets. Throws
  // ValueError where there are none, for sets, for two platforms and for a repeated member.
  static Device of_members(std::span<const Device> members);

  PlatformKind platform() const { return platform_; }
  int index() const { return index_; }
  bool is_set() const { return index_ >= kFirstSet; }
  // The indices of a set's members, valid for ever; of any other device, its own. Throws
  // DeviceError for a number from kFirstSet on that no set has, and for one below 0.
  std::span<const int> members() const;
  std::size_t member_count() const { return is_set() ? members().size() : 1; }
  Device member(std::size_t position) const { return {platform_, members()[position]}; }
  // Whether it is `other`, or has it, or all of its members, among its own.
  bool contains(const Device& other) const;
  // "cuda:1"; "cuda:0-3" and "cuda:0-1,3": neighbours in a row are shortened.
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
    return static_cast<std::size_t>(device.platform()) * cupola::Device::kEndOfIndices +
           static_cast<std::size_t>(device.index());
  }
};
