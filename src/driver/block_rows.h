#pragma once
// How many rows a block of a large problem has where the process is told.

#include <cstdint>

#include "base/process/environment.h"

namespace cupola {

// 0: the setting is absent. Throws ValueError for a value that is no number from 1 to 2^40.
inline std::int64_t block_rows_setting(const char* name) {
  return static_cast<std::int64_t>(
      whole_number_setting(name, 1, std::uint64_t{1} << 40).value_or(0));
}

}  // namespace cupola
