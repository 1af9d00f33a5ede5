#pragma once
// What the environment says about the CPU platform.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cupola::cpu {

struct Settings {
  int devices = 1;                // CUPOLA_CPU_DEVICES, 1 .. 1024
  std::size_t device_memory = 0;  // CUPOLA_CPU_DEVICE_MEMORY, bytes of each device
  // CUPOLA_ADVERSARY, a whole number from 0: the platform is hostile, by this seed.
  std::optional<std::uint64_t> adversary;
  // CUPOLA_ADVERSARY_FAIL: the hostile platform fails its k-th call ("k"), or about one call in
  // n, chosen by the seed ("1/n"). Empty: none.
  std::string failures;
};

// Throws ValueError that names the variable and its value.
Settings read_settings();

// CUPOLA_CPU_INSTRUCTIONS: whether loops may use the instruction set "avx2" or "avx512". Without
// the variable they may use both, with "baseline" none. Throws ValueError for another value.
bool allows_instructions(std::string_view set);

}  // namespace cupola::cpu
