// PlanKind::reduce.

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "codegen/steps_below.h"
#include "platforms/cpu/interpreter/direct_loops.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/counting.h"
#include "platforms/cpu/reductions/row_source.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kPartBytes = 16 * 1024;  // half of the first cache

struct Reduction {
  Reduction(const TileProgram& of, const LaunchArguments& with)
      : program(of),
        arguments(with),
        shape(of, with),
        size(item_size(of.plan.combine()->accumulator)),
        combination(combination_of(of)),
        any_order(combination.any_order_loop()) {}

  const TileProgram& program;
  const LaunchArguments& arguments;
  ReductionShape shape;
  std::size_t size;  // bytes of an accumulator
  Combination combination;
  AnyOrderFunction any_order;  // where there is one, it may do

  // Elements that are combined at once.
  std::int64_t leaf() const { return combination.in_any_order() ? kChunk : kLeaf; }
  std::int64_t steps() const { return static_cast<std::int64_t>(program.steps.size()); }
  std::int64_t chunk_length(std::int64_t chunk) const {
    return std::min(kChunk, shape.reduced - chunk * kChunk);
  }
};

// Where tiles along the reduced dimensions lie.
int axis_along(const Reduction& reduction) {
  const bool one = reduction.program.plan.reduced_rank() == 1;
  return one && !reduction.program.all_contiguous ? reduction.program.plan.rank - 1 : -1;
}

// Rows that are short beside a tile are computed several at a time. Where operands do not lie in
// order, only those shorter than this: others are read where they lie.
constexpr std::int64_t kLongRow = 256;

bool computes_rows_together(const Reduction& reduction) {
  const std::int64_t length = reduction.shape.reduced;
  return 2 * length <= reduction.program.tile_elements &&
         (reduction.program.all_contiguous || length < kLongRow);
}

// One thread's part of a reduction along memory: chunks in order, each leaf by leaf.
class ChunkWalk {
 public:
  using Chunk = ReductionShape::Chunk;

  // Over chunks first to last - 1. `partials` has room for what each chunk combines to; null: a
  // chunk is a whole result.
  ChunkWalk(const Reduction& reduction, char* partials, std::int64_t first, std::int64_t last,
            Scratch& scratch)
      : reduction_(reduction),
        partials_(partials),
        scratch_(scratch),
        together_(computes_rows_together(reduction)),
        evaluator_(reduction.program, reduction.arguments,
                   together_ ? reduction.program.tile_elements
                             : std::min(reduction.program.tile_elements,
                                        (reduction.shape.reduced + 63) / 64 * 64),
                   scratch),
        stack_(reduction.program.reduce.combine, reduction.size, 1, kChunkDepth, scratch),
        rows_(reduction.program, reduction.arguments, reduction.shape),
        results_(scratch.take(kBatch * 16)),
        counted_(find_counted(reduction.program.plan, reduction.program.value)),
        batch_(first),
        end_(last * reduction.shape.reduced) {
    if (counted_ >= 0) steps_ = steps_below(reduction.program.plan, counted_);
  }

  // Chunk `i` of all chunks of all results, whether it is the last of the walk or not.
  void combine(std::int64_t i, bool is_last) {
    const Chunk chunk = reduction_.shape.chunk(i);
    void* const result = place(i);
    if (!at_once(chunk, result)) {
      add(chunk);
      std::memcpy(result, stack_.fold(), reduction_.size);
    }
    finish(i, is_last);
  }
  // The same in parts, which begin where leaves do: they are `leaves` of them, a power of two, but
  // the last one may have fewer.
  void combine_part(const Chunk& part, std::int64_t leaves) {
    if (part.count == leaves * kLeaf && at_once(part, stack_.next())) {
      return stack_.push(std::countr_zero(static_cast<std::uint64_t>(leaves)));
    }
    add(part);
  }
  void combine_parts(std::int64_t i, bool is_last) {
    std::memcpy(place(i), stack_.fold(), reduction_.size);
    finish(i, is_last);
  }
  // Where what chunk `i` combines to goes, before it is finished.
  char* place(std::int64_t i) {
    return partials_ != nullptr ? partials_ + static_cast<std::size_t>(i) * reduction_.size
                                : results_ + static_cast<std::size_t>(i - batch_) * reduction_.size;
  }
  void finish(std::int64_t i, bool is_last) {
    if (partials_ != nullptr || (i + 1 - batch_ < kBatch && !is_last)) return;
    const Scratch::Scope scope(scratch_);
    store_results(reduction_.program, reduction_.arguments, {batch_, i + 1 - batch_}, results_,
                  scratch_);
    batch_ = i + 1;
  }

 private:
  static constexpr std::int64_t kBatch = 64;

  // False, and nothing is done, unless one loop can combine the elements, as the tree would.
  bool at_once(const Chunk& part, void* result) {
    if (!rows_.any()) return false;
    const char* const values = rows_.at(part.kept, part.first);
    if (reduction_.any_order != nullptr && reduction_.any_order(values, part.count, result)) {
      return true;
    }
    if (part.count > reduction_.leaf()) return false;
    reduction_.program.reduce.tree(values, part.count, result);
    return true;
  }

  // Elements of all, counted from the first row's first one: what is combined, or counted.
  const char* computed(std::int64_t first, std::int64_t count) {
    const TileProgram& program = reduction_.program;
    const int value = counted_ >= 0 ? counted_ : program.value;
    if (first < computed_first_ || first + count > computed_end_) {
      const std::int64_t rows = evaluator_.capacity() / reduction_.shape.reduced;
      computed_first_ = first;
      computed_end_ =
          together_ ? std::min(first + rows * reduction_.shape.reduced, end_) : first + count;
      const int axis = together_ ? -1 : axis_along(reduction_);
      evaluator_.begin({first, computed_end_ - first, axis});
      if (counted_ >= 0) {
        for (const int step : steps_) evaluator_.compute(step);
      } else {
        for (std::size_t i = 0; i < program.steps.size(); ++i) {
          evaluator_.compute(static_cast<int>(i));
        }
      }
    }
    const std::size_t size = program.steps[static_cast<std::size_t>(value)].item_size;
    return static_cast<const char*>(evaluator_.value(value)) +
           static_cast<std::size_t>(first - computed_first_) * size;
  }

  // Whole numbers are the same in any tree.
  void count(const Chunk& part) {
    const TileProgram& program = reduction_.program;
    const std::int64_t end = part.first + part.count;
    std::int64_t sum = 0;
    for (std::int64_t begin = part.first; begin < end; begin += program.tile_elements) {
      const std::int64_t elements = std::min(program.tile_elements, end - begin);
      const char* const values = computed(part.kept * reduction_.shape.reduced + begin, elements);
      sum += count_true(reinterpret_cast<const std::uint8_t*>(values), elements);
    }
    std::memcpy(stack_.next(), &sum, sizeof sum);
    stack_.push();
  }

  // Leaf by leaf.
  void add(const Chunk& part) {
    if (counted_ >= 0) return count(part);
    const TileProgram& program = reduction_.program;
    const TileStep& value = program.steps[static_cast<std::size_t>(program.value)];
    const auto value_size = static_cast<std::int64_t>(value.item_size);
    const std::int64_t end = part.first + part.count;
    for (std::int64_t begin = part.first; begin < end; begin += program.tile_elements) {
      const std::int64_t count = std::min(program.tile_elements, end - begin);
      const char* const values =
          rows_.any() ? rows_.at(part.kept, begin)
                      : computed(part.kept * reduction_.shape.reduced + begin, count);
      for (std::int64_t leaf = 0; leaf < count; leaf += reduction_.leaf()) {
        program.reduce.tree(values + leaf * value_size, std::min(reduction_.leaf(), count - leaf),
                            stack_.next());
        stack_.push();
      }
    }
  }

  const Reduction& reduction_;
  char* const partials_;
  Scratch& scratch_;
  const bool together_;
  TileEvaluator evaluator_;
  TreeStack stack_;
  const RowsInMemory rows_;
  char* const results_;
  const int counted_;
  std::vector<int> steps_;  // that `counted_` is computed from
  std::int64_t batch_;      // results from here on are not stored yet
  const std::int64_t end_;  // of the elements of the walk
  std::int64_t computed_first_ = 0, computed_end_ = 0;
};

// The minimum and the maximum of the same elements where they lie, which one pass finds.
class BothExtremes {
 public:
  explicit BothExtremes(std::span<const Reduction> reductions)
      : rows_(rows_of(reductions.front())) {
    if (reductions.size() != 2 || !rows_.any()) return;
    const Reduction& other = reductions[1];
    if (rows_of(other).at(0, 0) != rows_.at(0, 0) ||
        other.program.plan.combine()->accumulator !=
            reductions[0].program.plan.combine()->accumulator) {
      return;
    }
    if (is_smallest(reductions[0]) && is_largest(other)) smallest_ = 0;
    if (is_largest(reductions[0]) && is_smallest(other)) smallest_ = 1;
    if (smallest_ >= 0) function_ = find_both_extremes(other.program.plan.combine()->accumulator);
  }

  // Of chunk `i`; false: they are to be combined one by one.
  bool find(const ReductionShape::Chunk& chunk, std::int64_t i,
            std::deque<ChunkWalk>& walks) const {
    const auto place = [&](int walk) { return walks[static_cast<std::size_t>(walk)].place(i); };
    return function_ != nullptr && function_(rows_.at(chunk.kept, chunk.first), chunk.count,
                                             place(smallest_), place(1 - smallest_));
  }

 private:
  static RowsInMemory rows_of(const Reduction& of) {
    return RowsInMemory(of.program, of.arguments, of.shape);
  }
  static bool is_smallest(const Reduction& of) {
    const auto ufunc = of.combination.ufunc;
    return ufunc == UfuncId::minimum || ufunc == UfuncId::fmin;
  }
  static bool is_largest(const Reduction& of) {
    const auto ufunc = of.combination.ufunc;
    return ufunc == UfuncId::maximum || ufunc == UfuncId::fmax;
  }

  RowsInMemory rows_;
  int smallest_ = -1;  // which reduction
  BothExtremesFunction function_ = nullptr;
};

// Reductions of one shape. What several of them read comes from memory once.
void tree_along(std::span<const Reduction> reductions, Stages& stages) {
  const ReductionShape& shape = reductions.front().shape;
  const std::int64_t chunks = shape.chunks();
  // That are combined by one reduction after the other while they stay in the first cache.
  const auto leaves = static_cast<std::int64_t>(kPartBytes / kLeaf / reductions.front().size);
  std::vector<char*> partials;
  std::int64_t steps = 0;
  for (const Reduction& reduction : reductions) {
    const auto bytes = static_cast<std::size_t>(chunks * shape.kept) * reduction.size;
    partials.push_back(chunks > 1 ? stages.take(bytes) : nullptr);
    steps += reduction.steps();
  }
  const BothExtremes extremes(reductions);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    Scratch scratch;
    if (reductions.size() == 1) {
      ChunkWalk walk(reductions.front(), partials.front(), first, last, scratch);
      for (std::int64_t i = first; i < last; ++i) walk.combine(i, i + 1 == last);
      return;
    }
    std::deque<ChunkWalk> walks;
    for (std::size_t n = 0; n < reductions.size(); ++n) {
      walks.emplace_back(reductions[n], partials[n], first, last, scratch);
    }
    for (std::int64_t i = first; i < last; ++i) {
      const ReductionShape::Chunk chunk = shape.chunk(i);
      if (extremes.find(chunk, i, walks)) {
        for (ChunkWalk& walk : walks) walk.finish(i, i + 1 == last);
        continue;
      }
      const std::int64_t end = chunk.first + chunk.count;
      for (std::int64_t begin = chunk.first; begin < end; begin += leaves * kLeaf) {
        const std::int64_t count = std::min(leaves * kLeaf, end - begin);
        for (ChunkWalk& walk : walks) walk.combine_part({chunk.kept, begin, count}, leaves);
      }
      for (ChunkWalk& walk : walks) walk.combine_parts(i, i + 1 == last);
    }
  };
  stages.loop(shape.kept * chunks, grain_for(std::min(kChunk, shape.reduced) * steps), run);
  if (chunks == 1) return;
  stages.in_order(shape.kept, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      for (std::size_t n = 0; n < reductions.size(); ++n) {
        const Reduction& reduction = reductions[n];
        Scratch scratch;
        const char* first = partials[n] + static_cast<std::size_t>(k * chunks) * reduction.size;
        store_results(reduction.program, reduction.arguments, {k, 1},
                      join_parts(reduction.program, first, chunks, 1, scratch), scratch);
      }
    }
  });
}

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
      const RowSource source(reduction.program, reduction.arguments, reduction.shape,
                             reduction.combination, evaluator, kept, scratch);
      if (reduction.combination.in_any_order()) {
        source.combine(begin, 1, end - begin, stack.next());
        stack.push();
      }
      for (std::int64_t leaf = begin; leaf < end && !reduction.combination.in_any_order();
           leaf += kLeaf) {
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
                    join_parts(reduction.program, first, chunks, tiles[t].count, scratch), scratch);
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
  const Reduction reduction(program, arguments);
  if (reduction.shape.kept == 0) return;
  if (reduction.shape.reduced == 0) {
    return stages.in_order(1, [&](std::int64_t, std::int64_t) {
      store_identity(program, arguments, reduction.shape);
    });
  }
  if (!program.tree) return ordered_along(reduction, stages);
  if (reduce_short_rows(program, arguments, reduction.shape, stages)) return;
  if (reduction.shape.across) return tree_across(reduction, stages);
  tree_along({&reduction, 1}, stages);
}

bool reduce_together(std::span<const TileProgram> programs,
                     std::span<const LaunchArguments> arguments, Stages& stages) {
  std::vector<Reduction> reductions;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    reductions.emplace_back(programs[i], arguments[i]);
    const Reduction& last = reductions.back();
    if (!last.program.tree || last.shape.across || last.shape.kept * last.shape.reduced == 0) {
      return false;
    }
  }
  tree_along(reductions, stages);
  return true;
}

}  // namespace cupola::cpu
