#pragma once
// What platforms share about memory of several devices.

#include <span>

#include "driver/driver.h"

namespace cupola {

std::size_t bytes_of(std::span<const StripedPart> parts);

// The same. Throws ValueError for parts that Driver::allocate_striped() does not
// take, DeviceError for a device that is not there.
std::size_t check_striped(Driver& driver, std::span<const StripedPart> parts,
                          std::span<const int> devices);

}  // namespace cupola
