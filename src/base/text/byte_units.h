#pragma once
// Sizes in the units that people read.

#include <cstddef>
#include <string>

namespace cupola {

// "512 B", "1.5 KiB", "60.0 MiB", "42.0 GiB".
std::string in_byte_units(std::size_t bytes);

}  // namespace cupola
