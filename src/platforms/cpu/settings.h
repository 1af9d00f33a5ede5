#pragma once
// What the environment says about the CPU platform.

#include <cstddef>

namespace cupola::cpu {

struct Settings {
  int devices = 1;                // CUPOLA_CPU_DEVICES, 1 .. 1024
  std::size_t device_memory = 0;  // CUPOLA_CPU_DEVICE_MEMORY, bytes of each device
};

// Throws ValueError that names the variable and its value.
Settings read_settings();

}  // namespace cupola::cpu
