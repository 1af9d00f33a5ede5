#include "platforms/cpu/interpreter/tile_cut.h"

#include <cstdlib>

#include "core/layout.h"
#include "platforms/cpu/device/settings.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

// Rows shorter than this are not worth a tile of their own.
constexpr std::int64_t kLongRow = 256;
constexpr std::int64_t kLongCopiedRow = 64;  // whose places need not be computed
constexpr std::int64_t kCopiedTile = 4096;   // of such rows, which need no buffers

// Where more than this is read, it comes from memory. Tiles had better be short then, and fetched
// ahead: the loops of a tile go through one array after the other, and what fetches by itself does
// not see what comes after that.
constexpr std::int64_t kOfCaches = std::int64_t{32} << 20;
constexpr std::int64_t kFetchedTile = 512;
// Of one processor's second level.
constexpr std::int64_t kOfSecondLevel = std::int64_t{1} << 20;

// Bytes that a program with loops reads; what overlaps, as neighbours' windows do, is read once.
std::int64_t bytes_read(const TileProgram& program, const LaunchArguments& arguments,
                        std::int64_t total) {
  const auto address = [&](const TileStep& step) {
    return reinterpret_cast<std::intptr_t>(arguments.inputs[step.index].pointer);
  };
  std::int64_t bytes = 0;
  bool computes = false;
  for (auto step = program.steps.begin(); step != program.steps.end(); ++step) {
    computes |= step->loop != nullptr || step->is_call();
    if (!step->in_place) continue;
    const std::int64_t extent = total * static_cast<std::int64_t>(step->item_size);
    const bool is_known = std::any_of(program.steps.begin(), step, [&](const TileStep& other) {
      return other.in_place && other.item_size == step->item_size &&
             std::abs(address(other) - address(*step)) < extent / 2;
    });
    if (!is_known) bytes += extent;
  }
  return computes ? bytes : 0;
}

// Whether an output is written past the caches, which tiles do.
bool passes_caches(const TileProgram& program, const LaunchArguments& arguments) {
  std::size_t largest = 0;
  for (const OutputSpec& output : program.plan.outputs) {
    largest = std::max(largest, item_size(output.operand.dtype));
  }
  return element_count(arguments.extents) >= kStreamed / static_cast<std::int64_t>(largest);
}

}  // namespace

TileCut::TileCut(const TileProgram& program, const LaunchArguments& arguments) {
  const std::int64_t total = element_count(arguments.extents);
  const std::int64_t bytes = bytes_read(program, arguments, total);
  is_far = bytes > kOfSecondLevel;
  is_fetched = bytes > kOfCaches;
  is_cached = !is_fetched && !passes_caches(program, arguments);
  const std::int64_t long_row = program.copies_rows       ? kLongCopiedRow
                                : arguments.turns.empty() ? kLongRow
                                                          : kLongTurnedRow;
  const bool rows =
      !program.all_contiguous && !arguments.extents.empty() && arguments.extents.back() >= long_row;
  axis = rows ? arguments.extents.rank() - 1 : -1;
  row = rows ? arguments.extents.back() : total;
  const std::int64_t usual = program.copies_rows && rows
                                 ? std::max(kCopiedTile, program.tile_elements)
                                 : program.tile_elements;
  const std::int64_t most = std::min(is_fetched ? kFetchedTile : usual, most_of_map_tile());
  tiles_per_row = (row + most - 1) / most;
  // Of equal length, in whole cache lines.
  tile = ((row + tiles_per_row - 1) / tiles_per_row + 63) / 64 * 64;
  tiles_per_row = (row + tile - 1) / tile;
  tiles = tiles_per_row * (total / row);
}

}  // namespace cupola::cpu
