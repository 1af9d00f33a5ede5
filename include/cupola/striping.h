#pragma once
// Arrays that lie on several devices: where their parts are, and how to choose that.

#include <cstdint>
#include <vector>

#include "cupola/array.h"
#include "cupola/device.h"
#include "cupola/placement.h"

namespace cupola {

// A part of an array's memory, in the order of addresses.
struct PlacedPart {
  Device device;  // the member, or the array's only device
  // Bytes from the array's lowest address: [first_byte, end_byte).
  std::int64_t first_byte, end_byte;
  // Along the first axis, those whose first element lies there: [first_row, end_row). An array
  // without dimensions counts as one row.
  std::int64_t first_row, end_row;
};
// Computes the array.
std::vector<PlacedPart> placement_of(const Array& array);

// A copy of the array on the set, placed by the rule; cuts are numbers along the first axis. Row-
// major, or column-major where the array is. Throws ValueError for a rule that does not fit and
// OutOfMemoryError with the account of every member.
Array place(const Array& array, const Device& set, const PlacementRule& rule);

// The bytes of each member that an array of so many bytes would take now, by the rule (cuts in
// bytes), and the most by which one differs from its wished share. Allocates nothing.
struct PlannedPlacement {
  std::vector<std::size_t> bytes;
  std::vector<double> wished;  // shares of the whole
  double deviation;            // bytes
  std::size_t granularity;     // bytes
};
PlannedPlacement plan_placement(std::size_t bytes, const Device& set, const PlacementRule& rule);
// The same of any machine: with what each member has free, and the size of the smallest piece.
PlannedPlacement plan_placement(std::size_t bytes, const std::vector<std::size_t>& free,
                                std::size_t granularity, const PlacementRule& rule);

}  // namespace cupola
