// PlanKind::reduce.

#include <algorithm>
#include <cstring>

#include "platforms/cpu/reduction.h"
#include "platforms/cpu/strided.h"
#include "platforms/cpu/tile_runner.h"

namespace cupola::cpu {
namespace {

struct Reduction {
  const TileProgram& program;
  const LaunchArguments& arguments;
  ReductionShape shape;
  std::size_t size;  // bytes of an accumulator

  // Elements that are combined at once. Numbers that are never rounded combine to the same in any
  // tree.
  std::int64_t leaf() const {
    return is_inexact(program.plan.accumulator) ? kLeaf : program.tile_elements;
  }
  std::int64_t steps() const { return static_cast<std::int64_t>(program.steps.size()); }
  std::int64_t chunk_length(std::int64_t chunk) const {
    return std::min(kChunk, shape.reduced - chunk * kChunk);
  }
};

// Where tiles along the reduced dimensions lie.
int axis_along(const Reduction& reduction) {
  const bool one = reduction.program.plan.reduced_rank == 1;
  return one && !reduction.program.all_contiguous ? reduction.program.plan.rank - 1 : -1;
}

// Combines part of one result, leaf by leaf.
void* chunk_along(const Reduction& reduction, const RowsInMemory& rows, TileEvaluator& evaluator,
                  TreeStack& stack, std::int64_t kept, std::int64_t chunk) {
  const std::int64_t base = kept * reduction.shape.reduced + chunk * kChunk;
  const std::int64_t length = reduction.chunk_length(chunk);
  const std::int64_t tile = reduction.program.tile_elements;
  const int axis = axis_along(reduction);
  for (std::int64_t begin = 0; begin < length; begin += tile) {
    const std::int64_t count = std::min(tile, length - begin);
    if (!rows.any()) evaluator.evaluate({base + begin, count, axis});
    const auto* values = rows.any()
                             ? rows.at(kept, chunk * kChunk + begin)
                             : static_cast<const char*>(evaluator.value(reduction.program.value));
    for (std::int64_t leaf = 0; leaf < count; leaf += reduction.leaf()) {
      reduction.program.reduce.tree(values + leaf * static_cast<std::int64_t>(reduction.size),
                                    std::min(reduction.leaf(), count - leaf), stack.next());
      stack.push();
    }
  }
  return stack.fold();
}

// Joins the chunks' results, `width` values each and one after the other.
void* join_chunks(const Reduction& reduction, const char* partials, std::int64_t width,
                  Scratch& scratch) {
  TreeStack stack(reduction.program.reduce.combine, reduction.size, width, kFullDepth, scratch);
  const auto bytes = static_cast<std::size_t>(width) * reduction.size;
  for (std::int64_t chunk = 0; chunk < reduction.shape.chunks(); ++chunk) {
    std::memcpy(stack.next(), partials + static_cast<std::size_t>(chunk) * bytes, bytes);
    stack.push();
  }
  return stack.fold();
}

void tree_along(const Reduction& reduction, Stages& stages) {
  const std::int64_t chunks = reduction.shape.chunks();
  const std::int64_t kept = reduction.shape.kept;
  char* const partials =
      chunks > 1 ? stages.take(static_cast<std::size_t>(chunks * kept) * reduction.size) : nullptr;
  const std::int64_t capacity =
      std::min(reduction.program.tile_elements, (reduction.shape.reduced + 63) / 64 * 64);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(reduction.program, reduction.arguments, capacity, scratch);
    TreeStack stack(reduction.program.reduce.combine, reduction.size, 1, kChunkDepth, scratch);
    const RowsInMemory rows(reduction.program, reduction.arguments, reduction.shape);
    constexpr std::int64_t kBatch = 64;
    char* results = scratch.take(kBatch * 16);
    std::int64_t batch = first;
    for (std::int64_t i = first; i < last; ++i) {
      const void* result = chunk_along(reduction, rows, evaluator, stack, i / chunks, i % chunks);
      if (chunks > 1) {
        std::memcpy(partials + static_cast<std::size_t>(i) * reduction.size, result,
                    reduction.size);
        continue;
      }
      std::memcpy(results + static_cast<std::size_t>(i - batch) * reduction.size, result,
                  reduction.size);
      if (i + 1 - batch < kBatch && i + 1 < last) continue;
      Scratch::Scope scope(scratch);
      store_results(reduction.program, reduction.arguments, {batch, i + 1 - batch}, results,
                    scratch);
      batch = i + 1;
    }
  };
  stages.loop(kept * chunks,
              grain_for(std::min(kChunk, reduction.shape.reduced) * reduction.steps()), run);
  if (chunks == 1) return;
  stages.in_order(kept, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      Scratch scratch;
      const char* first = partials + static_cast<std::size_t>(k * chunks) * reduction.size;
      store_results(reduction.program, reduction.arguments, {k, 1},
                    join_chunks(reduction, first, 1, scratch), scratch);
    }
  });
}

// Rows of kept elements, one for each reduced position.
class RowSource {
 public:
  RowSource(const Reduction& reduction, TileEvaluator& evaluator, KeptTile kept)
      : reduction_(reduction), evaluator_(evaluator), kept_(kept) {
    const TileStep& step =
        reduction.program.steps[static_cast<std::size_t>(reduction.program.value)];
    if (step.kind != StepKind::load || step.uniform || reduction.program.plan.reduced_rank != 1) {
      return;
    }
    const OperandArgument& operand = reduction.arguments.inputs[step.index];
    const Dims& extents = reduction.arguments.extents;
    if (operand.strides[extents.size() - 2] != 1) return;
    row_stride_ = operand.strides.back();
    direct_ = static_cast<const char*>(operand.pointer) +
              strided_offset(extents, operand.strides, kept.first * reduction.shape.reduced) *
                  static_cast<std::int64_t>(reduction.size);
  }

  const void* row(std::int64_t r) const {
    if (direct_ != nullptr) {
      return direct_ + r * row_stride_ * static_cast<std::int64_t>(reduction_.size);
    }
    evaluator_.evaluate(
        {kept_.first * reduction_.shape.reduced + r, kept_.count, reduction_.shape.kept_rank - 1});
    return evaluator_.value(reduction_.program.value);
  }

  // result = rows first, first + step, ... (`rows` of them) combined in order.
  void combine(std::int64_t first, std::int64_t step, std::int64_t rows, void* result) const {
    std::memcpy(result, row(first), static_cast<std::size_t>(kept_.count) * reduction_.size);
    if (rows == 1) return;
    if (direct_ != nullptr) {
      reduction_.program.reduce.rows(row(first + step), row_stride_ * step, rows - 1, kept_.count,
                                     result);
      return;
    }
    for (std::int64_t i = 1; i < rows; ++i) {
      const void* inputs[2] = {result, row(first + i * step)};
      reduction_.program.reduce.combine(inputs, result, kept_.count);
    }
  }

 private:
  const Reduction& reduction_;
  TileEvaluator& evaluator_;
  KeptTile kept_;
  const char* direct_ = nullptr;
  std::int64_t row_stride_ = 0;
};

void leaf_across(const RowSource& source, std::int64_t first, std::int64_t count, TreeStack& lanes,
                 TreeStack& stack, std::size_t bytes) {
  if (count < kLanes) {
    source.combine(first, 1, count, stack.next());
  } else {
    for (std::int64_t i = 0; i < kLanes; ++i) {
      const std::int64_t lane = bit_reversed_lane(i);
      source.combine(first + lane, kLanes, (count - lane + kLanes - 1) / kLanes, lanes.next());
      lanes.push();
    }
    std::memcpy(stack.next(), lanes.fold(), bytes);
  }
  stack.push();
}

void tree_across(const Reduction& reduction, Stages& stages) {
  const KeptTiles tiles(reduction.shape);
  const std::int64_t chunks = reduction.shape.chunks();
  const std::size_t tile_bytes = static_cast<std::size_t>(tiles.width) * reduction.size;
  char* const partials =
      chunks > 1 ? stages.take(static_cast<std::size_t>(tiles.count * chunks) * tile_bytes)
                 : nullptr;
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    TileEvaluator evaluator(reduction.program, reduction.arguments, tiles.width, scratch);
    for (std::int64_t i = first; i < last; ++i) {
      Scratch::Scope scope(scratch);
      const KeptTile kept = tiles[i / chunks];
      const std::int64_t begin = i % chunks * kChunk;
      const std::int64_t end = begin + reduction.chunk_length(i % chunks);
      const std::size_t bytes = static_cast<std::size_t>(kept.count) * reduction.size;
      const LoopFunction combine = reduction.program.reduce.combine;
      TreeStack lanes(combine, reduction.size, kept.count, kChunkDepth, scratch);
      TreeStack stack(combine, reduction.size, kept.count, kChunkDepth, scratch);
      const RowSource source(reduction, evaluator, kept);
      for (std::int64_t leaf = begin; leaf < end; leaf += kLeaf) {
        leaf_across(source, leaf, std::min(kLeaf, end - leaf), lanes, stack, bytes);
      }
      if (chunks == 1) {
        store_results(reduction.program, reduction.arguments, kept, stack.fold(), scratch);
      } else {
        char* place = partials + static_cast<std::size_t>(i / chunks * chunks) * tile_bytes +
                      static_cast<std::size_t>(i % chunks) * bytes;
        std::memcpy(place, stack.fold(), bytes);
      }
    }
  };
  stages.loop(
      tiles.count * chunks,
      grain_for(std::min(kChunk, reduction.shape.reduced) * tiles.width * reduction.steps()), run);
  if (chunks == 1) return;
  stages.in_order(tiles.count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      Scratch scratch;
      const char* first = partials + static_cast<std::size_t>(t * chunks) * tile_bytes;
      store_results(reduction.program, reduction.arguments, tiles[t],
                    join_chunks(reduction, first, tiles[t].count, scratch), scratch);
    }
  });
}

// Strictly from the first element to the last.
void ordered_along(const Reduction& reduction, Stages& stages) {
  const std::int64_t length = reduction.shape.reduced;
  const std::int64_t tile = std::min(reduction.program.tile_elements, length);
  stages.loop(
      reduction.shape.kept, grain_for(length * reduction.steps()),
      [&](std::int64_t first, std::int64_t last) {
        Scratch scratch;
        TileEvaluator evaluator(reduction.program, reduction.arguments, tile, scratch);
        alignas(16) unsigned char accumulator[16];
        for (std::int64_t k = first; k < last; ++k) {
          for (std::int64_t begin = 0; begin < length; begin += tile) {
            const std::int64_t count = std::min(tile, length - begin);
            evaluator.evaluate({k * length + begin, count, axis_along(reduction)});
            const auto* values = static_cast<const char*>(evaluator.value(reduction.program.value));
            const std::int64_t skip = begin == 0 ? 1 : 0;
            if (skip == 1) std::memcpy(accumulator, values, reduction.size);
            if (count > skip) {
              reduction.program.reduce.fold(
                  values + skip * static_cast<std::int64_t>(reduction.size), count - skip,
                  accumulator);
            }
          }
          Scratch::Scope scope(scratch);
          store_results(reduction.program, reduction.arguments, {k, 1}, accumulator, scratch);
        }
      });
}

}  // namespace

void run_reduce(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  const Reduction reduction{program, arguments, ReductionShape(program, arguments),
                            item_size(program.plan.accumulator)};
  if (reduction.shape.kept == 0) return;
  if (reduction.shape.reduced == 0) {
    return stages.in_order(1, [&](std::int64_t, std::int64_t) {
      store_identity(program, arguments, reduction.shape);
    });
  }
  if (!program.tree) return ordered_along(reduction, stages);
  if (reduction.shape.across) return tree_across(reduction, stages);
  tree_along(reduction, stages);
}

}  // namespace cupola::cpu
