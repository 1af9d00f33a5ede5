#pragma once
// Where the bytes of an allocation on a device set go: a pure function of what is asked for and of
// what the members have left.
//
// Memory is divided in granules, the platform's smallest piece. `bytes` is rounded up to whole
// granules. A member's wished share of them is its weight over the sum of all weights; the cuts are
// the running sums of the shares, each rounded to the nearest granule (halves up), so that a part
// is at most one granule more or less than its share. A member that has less free memory than its
// share is filled, and the others take what is left over by their weights; one of weight 0 takes
// nothing. Parts lie in the order of the members. Where no weights are given, they are what the
// members have free, and members with nearly as much as the one with the most have its weight.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cupola/placement.h"

namespace cupola {

struct PlacementRequest {
  std::size_t bytes = 0;          // > 0
  std::size_t granularity = 1;    // bytes; > 0
  std::vector<std::size_t> free;  // bytes of each member; one at least
  PlacementRule rule;
};

struct Placement {
  std::vector<std::size_t> bytes;  // of each member, in the order of addresses; 0: no part
  std::vector<double> wished;      // shares of the whole, as fractions
  // The most by which a part differs from its wished share, in bytes, but for the rounding up of
  // the whole.
  double deviation = 0;
};

// Throws ValueError for weights or cuts that do not fit the rule, and OutOfMemoryError with what
// each member has, by `names`, when the parts do not fit.
Placement place(const PlacementRequest& request, std::span<const std::string> names);

}  // namespace cupola
