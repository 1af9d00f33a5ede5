#pragma once
// What platforms share about memory of several devices.

#include <span>

#include "driver/driver.h"

namespace cupola {

// The bytes of all parts. Throws ValueError for parts that Driver::allocate_striped() does not
// take, DeviceError for a device that is not there.
std::size_t check_striped(Driver& driver, std::span<const StripedPart> parts,
                          std::span<const int> devices);

}  // namespace cupola
