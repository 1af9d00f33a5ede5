// PlanKind::scan: prefixes in order, as NumPy computes them.

#include <algorithm>
#include <cstring>

#include "base/mutant.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/reduction.h"

namespace cupola::cpu {
namespace {

// Prefixes of one tile, cast to the output's type.
const void* cast_prefixes(const TileProgram& program, const void* prefixes, void* buffer,
                          std::int64_t count) {
  if (program.output_cast == nullptr) return prefixes;
  program.output_cast(&prefixes, buffer, count);
  return buffer;
}

void scan_along(const TileProgram& program, const LaunchArguments& arguments,
                const ReductionShape& shape, Stages& stages) {
  const std::int64_t tile = std::min(program.tile_elements, shape.reduced);
  const std::size_t size = item_size(program.plan.combine()->accumulator);
  const int axis = program.plan.rank - 1;
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(program, arguments, tile, scratch);
    auto* buffer = scratch.take(static_cast<std::size_t>(tile) * size);
    void* cast = scratch.take(static_cast<std::size_t>(tile) * 16);
    alignas(16) unsigned char accumulator[16];
    for (std::int64_t k = first; k < last; ++k) {
      for (std::int64_t begin = 0; begin < shape.reduced; begin += tile) {
        const std::int64_t count = std::min(tile, shape.reduced - begin);
        evaluator.evaluate({k * shape.reduced + begin, count, axis});
        const auto* values = static_cast<const char*>(evaluator.value(program.value));
        void* const output = program.output_cast ? nullptr : evaluator.output_itself(0);
        char* const prefixes = output ? static_cast<char*>(output) : buffer;
        const std::int64_t skip = begin == 0 || CUPOLA_MUTANT(scan_each_tile) ? 1 : 0;
        const auto skipped = static_cast<std::size_t>(skip) * size;
        if (skip == 1) {
          std::memcpy(accumulator, values, size);
          std::memmove(prefixes, values, size);
        }
        if (count > skip) {
          program.reduce.scan(values + skipped, count - skip, accumulator, prefixes + skipped);
        }
        evaluator.store(0, cast_prefixes(program, prefixes, cast, count));
      }
    }
  };
  stages.loop(shape.kept,
              grain_for(shape.reduced * (static_cast<std::int64_t>(program.steps.size()) + 1)),
              run);
}

void scan_across(const TileProgram& program, const LaunchArguments& arguments,
                 const ReductionShape& shape, Stages& stages) {
  const KeptTiles tiles(shape);
  const std::size_t size = item_size(program.plan.combine()->accumulator);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(program, arguments, tiles.width, scratch);
    void* accumulators = scratch.take(static_cast<std::size_t>(tiles.width) * size);
    void* cast = scratch.take(static_cast<std::size_t>(tiles.width) * 16);
    for (std::int64_t i = first; i < last; ++i) {
      const KeptTile kept = tiles[i];
      for (std::int64_t r = 0; r < shape.reduced; ++r) {
        evaluator.evaluate({kept.first * shape.reduced + r, kept.count, shape.kept_rank - 1});
        const void* inputs[2] = {accumulators, evaluator.value(program.value)};
        if (r == 0) {
          std::memcpy(accumulators, inputs[1], static_cast<std::size_t>(kept.count) * size);
        } else {
          program.reduce.combine(inputs, accumulators, kept.count);
        }
        evaluator.store(0, cast_prefixes(program, accumulators, cast, kept.count));
      }
    }
  };
  stages.loop(tiles.count, grain_for(shape.reduced * tiles.width), run);
}

}  // namespace

void run_scan(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const ReductionShape shape(program, arguments);
  if (shape.kept == 0 || shape.reduced == 0) return;
  if (shape.across) return scan_across(program, arguments, shape, stages);
  scan_along(program, arguments, shape, stages);
}

void scan_in_memory(UfuncId id, DType dtype, const void* values, std::int64_t count,
                    void* prefixes) {
  const std::size_t size = item_size(dtype);
  alignas(16) unsigned char accumulator[16];
  std::memcpy(accumulator, values, size);
  std::memmove(prefixes, values, size);
  if (count == 1) return;
  find_reduce(id, dtype).scan(static_cast<const char*>(values) + size, count - 1, accumulator,
                              static_cast<char*>(prefixes) + size);
}

}  // namespace cupola::cpu
