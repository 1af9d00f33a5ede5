// Maps whose results have places of their own: by rows that are copied, whole loops without tiles,
// bands where operands lie transposed, and tiles.

#include <algorithm>

#include "core/layout.h"
#include "platforms/cpu/interpreter/bands.h"
#include "platforms/cpu/interpreter/linear_map.h"
#include "platforms/cpu/interpreter/row_copies.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_cut.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

// Fewer elements of a row are gathered with those of others sooner than loops are called for them.
constexpr std::int64_t kShortestRow = 16;

// The elements from `begin` on, by the step program.untiled.
void run_untiled(const TileProgram& program, const LaunchArguments& arguments, std::int64_t begin,
                 std::int64_t count) {
  const TileStep& step = program.steps[static_cast<std::size_t>(program.untiled)];
  const auto size = static_cast<std::int64_t>(step.item_size);
  char* const result = static_cast<char*>(arguments.outputs[0].pointer) + begin * size;
  const auto values = [&](const TileStep& of) -> const void* {
    if (of.kind == StepKind::scalar) return arguments.scalars[of.index].data();
    const char* const first = static_cast<const char*>(arguments.inputs[of.index].pointer);
    return of.uniform ? first : first + begin * static_cast<std::int64_t>(of.item_size);
  };
  if (step.loop == nullptr && step.uniform) {
    return fill_row(result, values(step), count, step.item_size);
  }
  if (step.loop == nullptr && program.plan.inputs[step.index].layout == OperandLayout::strided) {
    const OperandArgument& line = arguments.inputs[step.index];
    return gather_row(result,
                      static_cast<const char*>(line.pointer) + begin * line.strides[0] * size,
                      line.strides[0], count, step.item_size);
  }
  if (step.loop == nullptr) {
    return move_bytes(result, values(step), static_cast<std::size_t>(count * size));
  }
  const void* inputs[3] = {};
  for (std::size_t a = 0; a < 3; ++a) {
    if (step.args[a] < 0) continue;
    inputs[a] = values(program.steps[static_cast<std::size_t>(step.args[a])]);
  }
  step.loop(inputs, result, count);
}

}  // namespace

void run_elementwise(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const TileCut cut(program, arguments);
  if (cut.is_cached && run_row_copies(program, arguments, stages)) return;
  const std::int64_t total = element_count(arguments.extents);
  const std::int64_t grain = grain_for(program.cost * static_cast<double>(cut.tile));
  if (program.untiled >= 0 && cut.is_cached) {
    return stages.loop(cut.tiles, grain, [&](std::int64_t first, std::int64_t last) {
      const std::int64_t begin = first * cut.tile;
      run_untiled(program, arguments, begin, std::min(last * cut.tile, total) - begin);
    });
  }
  constexpr std::int64_t kFewest = 1024;  // elements, for which to look at operands' strides
  if (total >= kFewest && has_transposed_operands(program, arguments)) {
    return run_bands(program, arguments, stages);
  }
  const std::int64_t row = arguments.extents.back();
  const std::int64_t shortest = arguments.turns.empty() ? kShortestRow : kLongTurnedRow;
  if (cut.is_cached && program.by_rows && arguments.extents.rank() > 1 && row >= shortest) {
    return stages.loop(total / row, grain_for(program.cost * static_cast<double>(row)),
                       [&](std::int64_t first, std::int64_t last) {
                         Scratch scratch;
                         TileEvaluator evaluator(program, arguments, std::min(cut.tile, row),
                                                 scratch);
                         LinearMap map(program, arguments, evaluator, scratch);
                         if (cut.is_far) map.fetch_ahead();
                         map.run_rows(first, last);
                       });
  }
  stages.loop(cut.tiles, grain, [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(program, arguments, cut.tile, scratch);
    if (program.linear && cut.is_cached) {
      return LinearMap(program, arguments, evaluator, scratch)
          .run(first * cut.tile, std::min(last * cut.tile, total));
    }
    if (cut.is_fetched) evaluator.fetch_ahead();
    for (std::int64_t i = first; i < last; ++i) {
      evaluator.evaluate(cut[i]);
      for (std::size_t o = 0; o < program.plan.outputs.size(); ++o) {
        evaluator.store(o, evaluator.value(program.plan.outputs[o].value));
      }
    }
  });
}

}  // namespace cupola::cpu
