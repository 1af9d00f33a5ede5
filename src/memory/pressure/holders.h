#pragma once
// Who has the memory of a device: for messages of what did not fit.

#include <string>

#include "cupola/device.h"

namespace cupola {

// "; most is held by 40.0 MiB in 2 arrays made at file.py:12 (function), ..." with the lines where
// record_memory_history() knows them; else the sizes, and how to learn the lines. Empty where
// nothing is held. Takes the locks of the pools.
std::string largest_holders(const Device& device);

}  // namespace cupola
