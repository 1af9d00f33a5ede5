#pragma once
// For tests: doubles that have no place on the line of numbers.

#include <limits>

namespace cupola_device {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace cupola_device
