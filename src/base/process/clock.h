#pragma once
// Time that only goes on.

#include <chrono>
#include <cstdint>

namespace cupola {

// Nanoseconds since some moment.
inline std::int64_t steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace cupola
