#pragma once
// What the process did how often: for tests of promises such as "one compilation per kernel".

#include <cstdint>
#include <string_view>

namespace cupola {

enum class Counter : std::uint8_t {
  compilations,       // of kernels and modules, by NVRTC or nvcc
  compiled_found,     // of them, found compiled: in the package or in the user's cache
  module_loads,       // of machine code onto a device
  libraries_opened,   // shared libraries opened at run time
  library_handles,    // handles of cuBLAS made
  streams,            // of a platform, made
  events,             // of a platform, made
  launches,           // of plans, or what the calling thread computes instead
  schedules_made,     // of pending arrays, by searches
  schedules_known,    // found by their keys
  kernel_graphs,      // of one kernel that is launched again and again, made
  kernel_copies,      // from pinned memory, by kernels
  divided_launches,   // of plans on a device set, by several of its members at the same time
  gathered_launches,  // on a device set, large enough to divide, by one member alone
};
inline constexpr int kCounterCount = 14;

std::string_view name_of(Counter counter);
// From any thread.
void count(Counter counter);
std::uint64_t value_of(Counter counter);

}  // namespace cupola
