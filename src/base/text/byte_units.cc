#include "base/text/byte_units.h"

#include <fmt/format.h>

namespace cupola {

std::string in_byte_units(std::size_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // What would be rounded to 1024.0 is one of the next unit.
  for (; size >= 1023.95 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace cupola
