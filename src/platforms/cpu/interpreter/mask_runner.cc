// Maps that count and number the elements for which a mask holds, by tiles of kMaskTile elements in
// row-major order.

#include <algorithm>
#include <bit>

#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_evaluator.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/kernels/move_tables.h"

namespace cupola::cpu {
namespace {

// Element offsets of `count` elements of the output from row-major number `first` on.
void find_offsets(const LaunchArguments& arguments, std::int64_t first, std::int64_t count,
                  std::int64_t* offsets) {
  const Dims& strides = arguments.outputs[0].strides;
  const std::int64_t row = arguments.extents.back();
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t begin = strided_offset(arguments.extents, strides, first + i);
    const std::int64_t end = std::min(count, i + row - (first + i) % row);
    for (std::int64_t j = 0; i < end; ++i, ++j) offsets[i] = begin + j * strides.back();
  }
}

// One thread's work.
class MaskTiles {
 public:
  MaskTiles(const TileProgram& program, const LaunchArguments& arguments, std::int64_t total)
      : program_(program),
        arguments_(arguments),
        output_(program.plan.outputs[0]),
        item_(item_size(output_.operand.dtype)),
        total_(total),
        evaluator_(program, arguments, kMaskTile, scratch_),
        offsets_(reinterpret_cast<std::int64_t*>(scratch_.take(kMaskTile * sizeof(std::int64_t)))) {
  }

  void run(std::int64_t tile) {
    const std::int64_t first = tile * kMaskTile;
    const std::int64_t count = std::min(kMaskTile, total_ - first);
    if (output_.store == StoreKind::count) {
      evaluator_.evaluate({first, count, -1});
      static_cast<std::int64_t*>(arguments_.outputs[0].pointer)[tile] = move_functions().count_true(
          static_cast<const bool*>(evaluator_.value(output_.value)), count);
      return;
    }
    const auto* ends = static_cast<const std::int64_t*>(arguments_.inputs.back().pointer);
    const std::int64_t begin = tile == 0 ? 0 : ends[tile - 1];
    if (begin == ends[tile]) return;
    evaluator_.begin({first, count, -1});
    const bool in_order = program_.in_order && arguments_.outputs[0].strides.back() == 1;
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const int step = static_cast<int>(i);
      const bool is_rank = program_.steps[i].kind == StepKind::rank;
      if (in_order && (is_rank || step == output_.value)) continue;
      is_rank ? number(step, begin, ends[tile], count) : evaluator_.compute(step);
    }
    if (in_order) return expand(first, count, begin, ends[tile]);
    const auto* mask = static_cast<const bool*>(evaluator_.value(output_.predicate));
    const auto* values = static_cast<const char*>(evaluator_.value(output_.value));
    if (output_.store == StoreKind::compress) {
      char* const target = static_cast<char*>(arguments_.outputs[0].pointer) +
                           begin * static_cast<std::int64_t>(item_);
      move_functions().pick[std::countr_zero(item_)](target, values, mask, count,
                                                     ends[tile] - begin);
      return;
    }
    find_offsets(arguments_, first, count, offsets_);
    scatter_indexed(arguments_.outputs[0].pointer, values, offsets_, mask, count, item_);
  }

 private:
  // Ranks; where the mask does not hold, one that exists.
  void number(int step, std::int64_t begin, std::int64_t end, std::int64_t count) {
    const auto* mask = static_cast<const bool*>(evaluator_.value(output_.predicate));
    auto* ranks = reinterpret_cast<std::int64_t*>(evaluator_.slot(step));
    for (std::int64_t i = 0; i < count; ++i) {
      ranks[i] = std::min(begin, end - 1);
      begin += mask[i] ? 1 : 0;
    }
    evaluator_.set_value(step, ranks);
  }

  // Values begin .. end-1, row by row.
  void expand(std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t end) {
    const auto* mask = static_cast<const bool*>(evaluator_.value(output_.predicate));
    const TileStep& values = program_.steps[static_cast<std::size_t>(output_.value)];
    const auto* from = static_cast<const char*>(arguments_.inputs[values.index].pointer);
    auto* to = static_cast<char*>(arguments_.outputs[0].pointer);
    const auto item = static_cast<std::int64_t>(item_);
    const std::int64_t row = arguments_.extents.back();
    for (std::int64_t i = 0; i < count && begin < end;) {
      const std::int64_t piece = std::min(count - i, row - (first + i) % row);
      const std::int64_t place =
          strided_offset(arguments_.extents, arguments_.outputs[0].strides, first + i);
      begin += move_functions().expand[std::countr_zero(item_)](
          to + place * item, from + begin * item, mask + i, piece, end - begin);
      i += piece;
    }
  }

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  const OutputSpec& output_;
  const std::size_t item_;
  const std::int64_t total_;
  Scratch scratch_;
  TileEvaluator evaluator_;
  std::int64_t* offsets_;
};

}  // namespace

void run_mask(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const std::int64_t total = element_count(arguments.extents);
  const std::int64_t tiles = mask_tiles(total);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    MaskTiles work(program, arguments, total);
    for (std::int64_t tile = first; tile < last; ++tile) work.run(tile);
  };
  stages.loop(tiles, grain_for(program.cost * kMaskTile), run);
}

}  // namespace cupola::cpu
