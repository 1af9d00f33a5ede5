#pragma once
// How an array is to lie on the members of a device set.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupola {

struct PlacementRule {
  enum class Kind : std::uint8_t {
    by_free,  // by what each member has free; nearly as much as the most counts as the most
    even,     // equal weights
    weights,  // one for each member: finite, none negative, not all 0
    cuts      // bytes before each member but the first; rounded to granules, no other member helps
  };
  Kind kind = Kind::by_free;
  std::vector<double> weights;
  std::vector<std::size_t> cuts;
  // Allocations of fewer bytes are not divided (but not those with cuts): they lie on the first
  // member where that has room for them, else on the one with the most room.
  std::size_t threshold = 0;
};

}  // namespace cupola
