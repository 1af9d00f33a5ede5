// PlanKind::arg_reduce.

#include <algorithm>
#include <array>

#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/reduction.h"

namespace cupola::cpu {
namespace {

Extremum search(const TileProgram& program, const RowsInMemory& rows, TileEvaluator& evaluator,
                const ReductionShape& shape, std::int64_t kept, std::int64_t first,
                std::int64_t last) {
  Extremum best;
  if (rows.any()) {
    program.extremum.along(rows.at(kept, first), last - first, first, best);
    return best;
  }
  const int axis = program.plan.reduced_rank() == 1 ? program.plan.rank - 1 : -1;
  for (std::int64_t begin = first; begin < last; begin += program.tile_elements) {
    const std::int64_t count = std::min(program.tile_elements, last - begin);
    evaluator.evaluate({kept * shape.reduced + begin, count, axis});
    program.extremum.along(evaluator.value(program.value), count, begin, best);
  }
  return best;
}

// Rows that one thread searches, where they lie in memory.
void search_rows(const TileProgram& program, const LaunchArguments& arguments,
                 const ReductionShape& shape, Stages& stages) {
  const auto steps = static_cast<std::int64_t>(program.steps.size());
  stages.loop(shape.kept, grain_for(shape.reduced * steps),
              [&](std::int64_t first, std::int64_t last) {
                constexpr std::int64_t kBatch = 256;
                std::array<std::int64_t, kBatch> indices;
                Scratch scratch;
                const RowsInMemory rows(program, arguments, shape);
                for (std::int64_t i = first; i < last; i += kBatch) {
                  const std::int64_t count = std::min(kBatch, last - i);
                  program.extremum.rows(rows.at(i, 0), count, shape.reduced, indices.data());
                  const Scratch::Scope scope(scratch);
                  store_results(program, arguments, {i, count}, indices.data(), scratch);
                }
              });
}

void search_along(const TileProgram& program, const LaunchArguments& arguments,
                  const ReductionShape& shape, Stages& stages) {
  const std::int64_t chunks = shape.chunks();
  Extremum* const partials =
      chunks == 1 ? nullptr
                  : reinterpret_cast<Extremum*>(stages.take(
                        static_cast<std::size_t>(shape.kept * chunks) * sizeof(Extremum)));
  const std::int64_t capacity = std::min(program.tile_elements, shape.reduced);
  const auto steps = static_cast<std::int64_t>(program.steps.size());
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(program, arguments, capacity, scratch);
    const RowsInMemory rows(program, arguments, shape);
    constexpr std::int64_t kBatch = 64;
    std::array<std::int64_t, kBatch> indices;
    std::int64_t batch = first;
    for (std::int64_t i = first; i < last; ++i) {
      const ReductionShape::Chunk chunk = shape.chunk(i);
      const Extremum best = search(program, rows, evaluator, shape, chunk.kept, chunk.first,
                                   chunk.first + chunk.count);
      if (chunks > 1) {
        partials[i] = best;
        continue;
      }
      indices[static_cast<std::size_t>(i - batch)] = best.index;
      if (i + 1 - batch < kBatch && i + 1 < last) continue;
      const Scratch::Scope scope(scratch);
      store_results(program, arguments, {batch, i + 1 - batch}, indices.data(), scratch);
      batch = i + 1;
    }
  };
  stages.loop(shape.kept * chunks, grain_for(std::min(kChunk, shape.reduced) * steps), run);
  if (chunks == 1) return;
  stages.in_order(shape.kept, [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    for (std::int64_t k = first; k < last; ++k) {
      Extremum best = partials[k * chunks];
      for (std::int64_t chunk = 1; chunk < chunks; ++chunk) {
        const Extremum& next = partials[k * chunks + chunk];
        program.extremum.along(next.value, 1, next.index, best);
      }
      const Scratch::Scope scope(scratch);
      store_results(program, arguments, {k, 1}, &best.index, scratch);
    }
  });
}

void search_across(const TileProgram& program, const LaunchArguments& arguments,
                   const ReductionShape& shape, Stages& stages) {
  const KeptTiles tiles(shape);
  const auto steps = static_cast<std::int64_t>(program.steps.size());
  stages.loop(
      tiles.count, grain_for(shape.reduced * tiles.width * steps),
      [&](std::int64_t first, std::int64_t last) {
        Scratch scratch;
        TileEvaluator evaluator(program, arguments, tiles.width, scratch);
        const auto width = static_cast<std::size_t>(tiles.width);
        void* values = scratch.take(width * item_size(program.plan.combine()->accumulator));
        auto* indices = reinterpret_cast<std::int64_t*>(scratch.take(width * sizeof(std::int64_t)));
        for (std::int64_t i = first; i < last; ++i) {
          const KeptTile kept = tiles[i];
          for (std::int64_t r = 0; r < shape.reduced; ++r) {
            evaluator.evaluate({kept.first * shape.reduced + r, kept.count, shape.kept_rank - 1});
            program.extremum.across(evaluator.value(program.value), kept.count, r, values, indices);
          }
          Scratch::Scope scope(scratch);
          store_results(program, arguments, kept, indices, scratch);
        }
      });
}

}  // namespace

void run_arg_reduce(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const ReductionShape shape(program, arguments);
  if (shape.kept == 0 || shape.reduced == 0) return;
  if (shape.across) return search_across(program, arguments, shape, stages);
  if (shape.chunks() == 1 && RowsInMemory(program, arguments, shape).any()) {
    return search_rows(program, arguments, shape, stages);
  }
  search_along(program, arguments, shape, stages);
}

}  // namespace cupola::cpu
