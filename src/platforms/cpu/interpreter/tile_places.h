#pragma once
// Where a tile's elements are added.

#include <cstdint>

#include "platforms/cpu/interpreter/tile_evaluator.h"

namespace cupola::cpu {

// What a tile's elements are added to, and which.
template <typename T>
struct TilePlaces {
  TilePlaces(const TileEvaluator& evaluator, const OutputSpec& output)
      : values(static_cast<const T*>(evaluator.value(output.value))),
        offsets(static_cast<const std::int64_t*>(evaluator.value(output.offset))),
        wanted(output.predicate < 0 ? nullptr
                                    : static_cast<const bool*>(evaluator.value(output.predicate))) {
  }

  // In the order of the elements.
  void add_to(T* sums, std::int64_t count) const {
    if (wanted == nullptr) {
      for (std::int64_t i = 0; i < count; ++i) sums[offsets[i]] += values[i];
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (wanted[i]) sums[offsets[i]] += values[i];
    }
  }

  // The same, without offsets outside of [0, places).
  void add_inside(T* sums, std::int64_t places, std::int64_t count) const {
    const auto end = static_cast<std::uint64_t>(places);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto place = static_cast<std::uint64_t>(offsets[i]);
      if (place < end && (wanted == nullptr || wanted[i])) sums[place] += values[i];
    }
  }

  const T* values;
  const std::int64_t* offsets;
  const bool* wanted;
};

}  // namespace cupola::cpu
