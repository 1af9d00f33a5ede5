#pragma once
// How fast a device's memory is, for estimates.

#include <string>

#include "cupola/device.h"

namespace cupola {

struct Bandwidth {
  double bytes_per_second = 0;
  std::string source;    // in words: how it is known
  bool is_peak = false;  // no kernel is faster; else measured, and caches are
};
// CUDA: by the memory's clock and the width of its bus. CPU: of a copy between two buffers larger
// than the caches, counted once as read and once as written, measured once in the process (some 50
// milliseconds, 64 MiB of host memory). Where other programs run meanwhile, the source says so.
Bandwidth bandwidth_of(const Device& device);

}  // namespace cupola
