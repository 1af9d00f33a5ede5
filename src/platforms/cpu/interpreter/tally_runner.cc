// Sums at few places: each task, or each part of the elements, has its own before they are added
// up.

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/layout.h"
#include "platforms/cpu/interpreter/tile_cut.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_places.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

// Items of a tally that one task takes, at least: those that it has counted are added up by all.
constexpr std::int64_t kTalliedByTask = 32;  // times the number of places

// One Word is as wide as the sums.
template <typename Word>
void tally(const TileProgram& program, const LaunchArguments& arguments, const TileCut& cut,
           Stages& stages) {
  const OutputSpec& output = program.plan.outputs[0];
  auto* const sums = static_cast<Word*>(arguments.outputs[0].pointer);
  const auto places = static_cast<std::size_t>(arguments.outputs[0].places);
  const std::int64_t least = kTalliedByTask * static_cast<std::int64_t>(places) / cut.tile;
  stages.loop(
      cut.tiles, std::max(least, grain_for(program.cost * static_cast<double>(cut.tile))),
      [&](std::int64_t first, std::int64_t last) {
        Scratch scratch;
        TileEvaluator evaluator(program, arguments, cut.tile, scratch);
        std::vector<Word> own(places);
        for (std::int64_t i = first; i < last; ++i) {
          const Tile tile = cut[i];
          evaluator.evaluate(tile);
          TilePlaces<Word>(evaluator, output).add_inside(own.data(), std::ssize(own), tile.count);
        }
        for (std::size_t place = 0; place < places; ++place) {
          if (own[place] == 0) continue;
          std::atomic_ref(sums[place]).fetch_add(own[place], std::memory_order_relaxed);
        }
      });
}

// Sums whose order counts: each part of the elements has its own, whoever adds them.
void tally_parts(const TileProgram& program, const LaunchArguments& arguments, std::int64_t total,
                 std::int64_t most, Stages& stages) {
  const OutputSpec& output = program.plan.outputs[0];
  auto* const sums = static_cast<double*>(arguments.outputs[0].pointer);
  const std::int64_t part = std::int64_t{1} << output.bins;
  const std::int64_t parts = (total + part - 1) / part;
  const std::int64_t places = arguments.outputs[0].places / parts;
  const std::int64_t tile = std::min(part, most);
  stages.loop(parts, grain_for(program.cost * static_cast<double>(part)),
              [&](std::int64_t first, std::int64_t last) {
                Scratch scratch;
                TileEvaluator evaluator(program, arguments, tile, scratch);
                for (std::int64_t i = first; i < last; ++i) {
                  double* const own = sums + i * places;
                  std::fill_n(own, places, 0.0);
                  const std::int64_t end = std::min((i + 1) * part, total);
                  for (std::int64_t begin = i * part; begin < end; begin += tile) {
                    const std::int64_t count = std::min(tile, end - begin);
                    evaluator.evaluate({begin, count, -1});
                    TilePlaces<double>(evaluator, output).add_inside(own, places, count);
                  }
                }
              });
}

}  // namespace

void run_tally(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const TileCut cut(program, arguments);
  const DType dtype = program.plan.outputs[0].operand.dtype;
  if (dtype == DType::float64) {
    return tally_parts(program, arguments, element_count(arguments.extents), cut.tile, stages);
  }
  return item_size(dtype) == 8 ? tally<std::uint64_t>(program, arguments, cut, stages)
                               : tally<std::uint32_t>(program, arguments, cut, stages);
}

}  // namespace cupola::cpu
