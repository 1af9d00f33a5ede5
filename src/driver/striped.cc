#include "driver/striped.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "cupola/error.h"

namespace cupola {

std::size_t bytes_of(std::span<const StripedPart> parts) {
  std::size_t bytes = 0;
  for (const StripedPart& part : parts) bytes += part.bytes;
  return bytes;
}

std::size_t check_striped(Driver& driver, std::span<const StripedPart> parts,
                          std::span<const int> devices) {
  if (parts.empty() || devices.empty()) {
    throw ValueError("striped memory needs at least one part and one device that reaches it");
  }
  for (const int device : devices) driver.stripe_granularity(device);  // throws: there is none
  std::size_t whole = 0;
  for (const auto& [device, bytes] : parts) {
    const std::size_t unit = driver.stripe_granularity(device);
    const std::string name = Device(driver.platform(), device).to_string();
    if (bytes == 0 || bytes % unit != 0 || whole % unit != 0) {
      throw ValueError(
          fmt::format("striped memory on {} begins and ends at multiples of {} bytes: there is no "
                      "part of {} bytes after {}",
                      name, unit, bytes, whole));
    }
    if (bytes > PTRDIFF_MAX - whole) {
      throw OutOfMemoryError(
          fmt::format("{} cannot allocate {} bytes of striped memory: there are no addresses for "
                      "so much",
                      name, bytes));
    }
    whole += bytes;
  }
  return whole;
}

}  // namespace cupola
