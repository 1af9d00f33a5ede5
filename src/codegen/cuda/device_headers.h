#pragma once
// The text of src/codegen/device/*.cuh and its folders, built into the library.

#include <cstddef>
#include <string_view>

namespace cupola {

struct EmbeddedFile {
  std::string_view name;  // without folder: "complex.cuh"
  std::string_view text;
};

// In the order of names; kDeviceHeaderCount entries, then an empty one.
extern const EmbeddedFile kDeviceHeaders[];
extern const std::size_t kDeviceHeaderCount;

// Empty when there is no such header.
std::string_view device_header(std::string_view name);

}  // namespace cupola
