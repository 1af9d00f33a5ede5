#pragma once
// The numbers of device sets. They are never given to others, so that a device is a small value.
// From any thread; looking takes no lock.

#include <optional>
#include <span>
#include <vector>

#include "cupola/device.h"

namespace cupola {

// The index of the set of these devices of a platform, two or more, each once. Throws DeviceError
// when all numbers are given away.
int index_of_set(PlatformKind platform, std::vector<int> members);
// Null: no set has the number.
const std::vector<int>* find_members(PlatformKind platform, int index);

// Whether the two are, or have, a device in common.
bool overlap(const Device& a, const Device& b);

}  // namespace cupola
