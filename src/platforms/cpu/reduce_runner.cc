// PlanKind::reduce.

#include <algorithm>
#include <cstring>

#include "platforms/cpu/direct_loops.h"
#include "platforms/cpu/reduction.h"
#include "platforms/cpu/strided.h"
#include "platforms/cpu/tile_runner.h"

namespace cupola::cpu {
namespace {

struct Reduction {
  const TileProgram& program;
  const LaunchArguments& arguments;
  ReductionShape shape;
  std::size_t size;              // bytes of an accumulator
  AnyOrderFunction any_order{};  // where there is one, it may do

  const TileStep& value() const { return program.steps[static_cast<std::size_t>(program.value)]; }
  // Numbers that are never rounded combine to the same in any order.
  bool in_any_order() const { return !is_inexact(program.plan.accumulator); }
  // Values of another type are combined as booleans, see combine_truth().
  bool combines_truth() const { return value().dtype != program.plan.accumulator; }
  // Elements that are combined at once.
  std::int64_t leaf() const { return in_any_order() ? kChunk : kLeaf; }
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
void chunk_along(const Reduction& reduction, const RowsInMemory& rows, TileEvaluator& evaluator,
                 TreeStack& stack, std::int64_t kept, std::int64_t chunk, void* result) {
  const std::int64_t base = kept * reduction.shape.reduced + chunk * kChunk;
  const std::int64_t length = reduction.chunk_length(chunk);
  if (rows.any()) {
    const char* const values = rows.at(kept, chunk * kChunk);
    if (reduction.any_order != nullptr && reduction.any_order(values, length, result)) return;
    if (length <= reduction.leaf()) return reduction.program.reduce.tree(values, length, result);
  }
  const std::int64_t tile = reduction.program.tile_elements;
  const auto value_size = static_cast<std::int64_t>(reduction.value().item_size);
  const int axis = axis_along(reduction);
  for (std::int64_t begin = 0; begin < length; begin += tile) {
    const std::int64_t count = std::min(tile, length - begin);
    if (!rows.any()) evaluator.evaluate({base + begin, count, axis});
    const auto* values = rows.any()
                             ? rows.at(kept, chunk * kChunk + begin)
                             : static_cast<const char*>(evaluator.value(reduction.program.value));
    for (std::int64_t leaf = 0; leaf < count; leaf += reduction.leaf()) {
      reduction.program.reduce.tree(values + leaf * value_size,
                                    std::min(reduction.leaf(), count - leaf), stack.next());
      stack.push();
    }
  }
  std::memcpy(result, stack.fold(), reduction.size);
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
      char* const place = chunks > 1
                              ? partials + static_cast<std::size_t>(i) * reduction.size
                              : results + static_cast<std::size_t>(i - batch) * reduction.size;
      chunk_along(reduction, rows, evaluator, stack, i / chunks, i % chunks, place);
      if (chunks > 1) continue;
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

// Rows of kept elements, one for each reduced position: where they lie, if all that is made of them
// is a cast, or else as they are computed.
class RowSource {
 public:
  RowSource(const Reduction& reduction, TileEvaluator& evaluator, KeptTile kept, Scratch& scratch)
      : reduction_(reduction),
        evaluator_(evaluator),
        kept_(kept),
        bytes_(static_cast<std::size_t>(kept.count) * reduction.size) {
    const TileProgram& program = reduction.program;
    const TileStep* step = &reduction.value();
    const bool is_cast = step->kind == StepKind::cast && !step->uniform;
    if (is_cast) step = &program.steps[static_cast<std::size_t>(step->args[0])];
    if (step->kind != StepKind::load || step->uniform || program.plan.reduced_rank != 1 ||
        program.plan.inputs[step->index].turned != 0) {
      return;
    }
    const OperandArgument& operand = reduction.arguments.inputs[step->index];
    const Dims& extents = reduction.arguments.extents;
    if (operand.strides[extents.size() - 2] != 1) return;
    const auto size = static_cast<std::int64_t>(step->item_size);
    row_stride_ = operand.strides.back();
    row_bytes_ = row_stride_ * size;
    rows_ = static_cast<const char*>(operand.pointer) +
            strided_offset(extents, operand.strides, kept.first * reduction.shape.reduced) * size;
    if (!is_cast) return;
    cast_ = reduction.value().loop;
    cast_rows_ = static_cast<std::int64_t>(std::clamp<std::size_t>(kCastBytes / bytes_, 1, 8));
    cast_values_ = scratch.take(static_cast<std::size_t>(cast_rows_) * bytes_);
  }

  // result = rows first, first + step, ... (`rows` of them) combined in order.
  void combine(std::int64_t first, std::int64_t step, std::int64_t rows, void* result) const {
    if (reduction_.combines_truth()) {
      std::memset(result, reduction_.program.plan.combine == UfuncId::logical_and ? 1 : 0, bytes_);
    } else {
      const std::int64_t begun = begin(first, step, rows, result);
      first += begun * step;
      rows -= begun;
    }
    if (rows > 0) add(first, step, rows, result);
  }

 private:
  static constexpr std::size_t kCastBytes = 16 * 1024;

  const char* row(std::int64_t r) const { return rows_ + r * row_bytes_; }
  const void* computed_row(std::int64_t r) const {
    evaluator_.evaluate(
        {kept_.first * reduction_.shape.reduced + r, kept_.count, reduction_.shape.kept_rank - 1});
    return evaluator_.value(reduction_.program.value);
  }
  void cast(const void* values, void* result, std::int64_t rows) const {
    cast_(&values, result, rows * kept_.count);
  }

  // With one or two rows; how many.
  std::int64_t begin(std::int64_t first, std::int64_t step, std::int64_t rows,
                     void* result) const {
    if (cast_ != nullptr) {
      cast(row(first), result, 1);
    } else if (rows_ != nullptr && rows > 1) {
      const void* two[2] = {row(first), row(first + step)};
      reduction_.program.reduce.combine(two, result, kept_.count);
      return 2;
    } else {
      std::memcpy(result, rows_ != nullptr ? row(first) : computed_row(first), bytes_);
    }
    return 1;
  }

  void add(std::int64_t first, std::int64_t step, std::int64_t rows, void* result) const {
    const RowsFunction join = reduction_.program.reduce.rows;
    if (cast_ != nullptr) return add_cast(first, step, rows, result);
    if (rows_ != nullptr) return join(row(first), row_stride_ * step, rows, kept_.count, result);
    for (std::int64_t i = 0; i < rows; ++i) {
      join(computed_row(first + i * step), kept_.count, 1, kept_.count, result);
    }
  }

  void add_cast(std::int64_t first, std::int64_t step, std::int64_t rows, void* result) const {
    const bool adjacent = row_stride_ * step == kept_.count;
    for (std::int64_t done = 0; done < rows; done += cast_rows_) {
      const std::int64_t count = std::min(cast_rows_, rows - done);
      if (adjacent) cast(row(first + done), cast_values_, count);
      for (std::int64_t i = 0; i < count && !adjacent; ++i) {
        cast(row(first + (done + i) * step), cast_values_ + static_cast<std::size_t>(i) * bytes_,
             1);
      }
      reduction_.program.reduce.rows(cast_values_, kept_.count, count, kept_.count, result);
    }
  }

  const Reduction& reduction_;
  TileEvaluator& evaluator_;
  const KeptTile kept_;
  const std::size_t bytes_;     // of a row of accumulators
  const char* rows_ = nullptr;  // null: they are computed
  std::int64_t row_stride_ = 0;
  std::int64_t row_bytes_ = 0;
  LoopFunction cast_ = nullptr;
  std::int64_t cast_rows_ = 0;  // that are cast at once
  char* cast_values_ = nullptr;
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
      const RowSource source(reduction, evaluator, kept, scratch);
      if (reduction.in_any_order()) {
        source.combine(begin, 1, end - begin, stack.next());
        stack.push();
      }
      for (std::int64_t leaf = begin; leaf < end && !reduction.in_any_order(); leaf += kLeaf) {
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
                            item_size(program.plan.accumulator),
                            find_any_order(program.plan.combine, program.plan.accumulator)};
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
