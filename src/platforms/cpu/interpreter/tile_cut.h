#pragma once
// How the iteration space of a map is cut into tiles.

#include <algorithm>
#include <cstdint>

#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_program.h"

namespace cupola::cpu {

// Of rolled operands, which many steps go with: to copy them costs less than short tiles.
inline constexpr std::int64_t kLongTurnedRow = 1024;

// Into equal parts of its flat order, or of each row.
struct TileCut {
  TileCut(const TileProgram& program, const LaunchArguments& arguments);

  bool is_fetched;  // more is read than stays in the caches: tiles are short, and fetched ahead
  bool is_cached;   // what is read is not, and results go to the caches
  bool is_far;      // more is read than one processor's second level has
  int axis;
  std::int64_t row;   // elements between two ends that no tile crosses
  std::int64_t tile;  // most elements of a tile
  std::int64_t tiles_per_row;
  std::int64_t tiles;

  Tile operator[](std::int64_t i) const {
    const std::int64_t begin = i % tiles_per_row * tile;
    return {i / tiles_per_row * row + begin, std::min(tile, row - begin), axis};
  }
};

}  // namespace cupola::cpu
